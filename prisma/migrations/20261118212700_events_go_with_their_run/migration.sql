-- A run at a time: by the key, whatever the size of the log. For all runs of a statement together PostgreSQL would choose
-- a plan by what it guesses of their number, and may read the whole log.
DROP TRIGGER "runs_delete_events" ON "runs";
CREATE OR REPLACE FUNCTION "runs_delete_events"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "run_events" WHERE "run_id" = OLD."id";
  RETURN NULL;
END $$;
CREATE TRIGGER "runs_delete_events" AFTER DELETE ON "runs" FOR EACH ROW EXECUTE FUNCTION "runs_delete_events"();
