-- What a turn writes, lighter once more (docs/decisions/0009).

-- Each event is written by a statement that has the run's row in its hands; a reference would look for it again, and did so
-- for 15 of 100 ms of a turn. What the reference did besides, the trigger does: the events of a run go with it.
ALTER TABLE "run_events" DROP CONSTRAINT "run_events_workspace_id_run_id_fkey";
CREATE FUNCTION "runs_delete_events"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "run_events" WHERE "run_id" IN (SELECT "id" FROM "gone");
  RETURN NULL;
END $$;
CREATE TRIGGER "runs_delete_events" AFTER DELETE ON "runs" REFERENCING OLD TABLE AS "gone"
  FOR EACH STATEMENT EXECUTE FUNCTION "runs_delete_events"();

-- A plan for a conversation's key that was made while the table was empty could take this index, and then read every
-- conversation of the channel for each message.
DROP INDEX "conversations_channel_id_opened_by_last_activity_at_id_idx";
CREATE INDEX "conversations_opened_by_channel_id_last_activity_at_id_idx" ON "conversations"("opened_by", "channel_id", "last_activity_at" DESC, "id" DESC);

-- Most runs have no parent and most deliveries are no card of a question: those are in no index of either.
DROP INDEX "runs_parent_run_id_idx";
CREATE INDEX "runs_children" ON "runs" ("parent_run_id") WHERE "parent_run_id" IS NOT NULL;
DROP INDEX "deliveries_question_id_idx";
CREATE INDEX "deliveries_of_question" ON "deliveries" ("question_id") WHERE "question_id" IS NOT NULL;
