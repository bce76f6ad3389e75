-- What Prisma's schema language cannot say. Each rule is named in a comment of the model it guards.

-- People -------------------------------------------------------------------------------------------------------

ALTER TABLE "logins" ADD CONSTRAINT "logins_email_lower" CHECK ("email" = lower("email"));
ALTER TABLE "members" ADD CONSTRAINT "members_email_lower" CHECK ("email" = lower("email"));
ALTER TABLE "identities" ADD CONSTRAINT "identities_console_has_login"
  CHECK (("kind" = 'console') = ("login_id" IS NOT NULL));

-- A workspace is never left without an enabled owner. The workspace row is locked first: two owners who step down
-- at the same moment are looked at one after the other. Checked at the end of the transaction, so that ownership
-- can be handed over within one. That is after the audit chain was locked, so it is the lock that foreign keys do not
-- wait for, taken only where an owner is lost: otherwise others who hold the workspace and wait for the chain, and we
-- who hold the chain, would wait for each other.
CREATE FUNCTION "members_keep_an_owner"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM "workspaces" WHERE "id" = OLD."workspace_id" FOR NO KEY UPDATE;
  IF FOUND AND NOT EXISTS (
    SELECT 1 FROM "members"
    WHERE "workspace_id" = OLD."workspace_id" AND "role" = 'owner' AND "disabled_at" IS NULL
  ) THEN
    RAISE EXCEPTION 'workspace % would be left without an owner', OLD."workspace_id"
      USING ERRCODE = 'check_violation', CONSTRAINT = 'members_keep_an_owner';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER "members_keep_an_owner"
  AFTER UPDATE ON "members" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD."role" = 'owner' AND OLD."disabled_at" IS NULL AND (NEW."role" <> 'owner'
    OR NEW."disabled_at" IS NOT NULL OR NEW."workspace_id" <> OLD."workspace_id"))
  EXECUTE FUNCTION "members_keep_an_owner"();
CREATE CONSTRAINT TRIGGER "members_keep_an_owner_on_delete"
  AFTER DELETE ON "members" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD."role" = 'owner' AND OLD."disabled_at" IS NULL) EXECUTE FUNCTION "members_keep_an_owner"();

-- Agents -------------------------------------------------------------------------------------------------------

CREATE UNIQUE INDEX "agent_versions_one_draft" ON "agent_versions" ("agent_id") WHERE "published_at" IS NULL;
ALTER TABLE "agent_versions" ADD CONSTRAINT "agent_versions_published_by"
  CHECK ("published_by" IS NULL OR "published_at" IS NOT NULL);

CREATE FUNCTION "refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on % is refused: %', TG_OP, TG_TABLE_NAME, TG_ARGV[0]
    USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
END $$;
CREATE TRIGGER "agent_versions_frozen" BEFORE UPDATE ON "agent_versions"
  FOR EACH ROW WHEN (OLD."published_at" IS NOT NULL)
  EXECUTE FUNCTION "refuse_change"('a published version never changes');

-- A tool that a workspace brought can be attached only to that workspace's agents. agent_tools has the columns of the
-- iofold document and no workspace of its own for a foreign key to hold, so a trigger looks.
CREATE FUNCTION "agent_tools_one_workspace"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT 1 FROM "tool_details" d JOIN "agents" a ON a."id" = NEW."agent_id"
    WHERE d."tool_id" = NEW."tool_id" AND d."workspace_id" <> a."workspace_id"
  ) THEN
    RAISE EXCEPTION 'tool % belongs to another workspace than agent %', NEW."tool_id", NEW."agent_id"
      USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "agent_tools_one_workspace" BEFORE INSERT OR UPDATE ON "agent_tools"
  FOR EACH ROW EXECUTE FUNCTION "agent_tools_one_workspace"();
CREATE TRIGGER "tool_details_workspace_stays" BEFORE UPDATE OF "workspace_id" ON "tool_details"
  FOR EACH ROW WHEN (NEW."workspace_id" IS DISTINCT FROM OLD."workspace_id")
  EXECUTE FUNCTION "refuse_change"('a tool stays with whom it was made for');

-- Secrets ------------------------------------------------------------------------------------------------------

CREATE UNIQUE INDEX "secret_versions_one_current" ON "secret_versions" ("secret_id") WHERE "retired_at" IS NULL;

-- Conversations ------------------------------------------------------------------------------------------------

CREATE UNIQUE INDEX "deliveries_one_sending" ON "deliveries" ("conversation_id") WHERE "status" = 'sending';
CREATE INDEX "deliveries_due" ON "deliveries" ("next_attempt_at") WHERE "status" = 'pending';
CREATE INDEX "deliveries_unsent" ON "deliveries" ("conversation_id", "number") WHERE "status" IN ('pending', 'sending');
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_claim_while_sending"
  CHECK (("status" = 'sending') = ("claimed_by" IS NOT NULL) AND ("claimed_by" IS NULL) = ("claim_until" IS NULL));
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_sent_at" CHECK (("status" = 'sent') = ("sent_at" IS NOT NULL));

-- Runs ---------------------------------------------------------------------------------------------------------

CREATE UNIQUE INDEX "runs_one_unfinished" ON "runs" ("conversation_id")
  WHERE "status" IN ('queued', 'running', 'waiting');
CREATE INDEX "runs_claims" ON "runs" ("claim_until") WHERE "status" = 'running';
ALTER TABLE "runs" ADD CONSTRAINT "runs_claim_while_running"
  CHECK (("status" = 'running') = ("claimed_by" IS NOT NULL) AND ("claimed_by" IS NULL) = ("claim_until" IS NULL));
ALTER TABLE "runs" ADD CONSTRAINT "runs_finished_at"
  CHECK (("status" IN ('succeeded', 'failed', 'stopped')) = ("finished_at" IS NOT NULL));
ALTER TABLE "runs" ADD CONSTRAINT "runs_counts"
  CHECK ("steps" >= 0 AND "input_tokens" >= 0 AND "output_tokens" >= 0 AND "cost_micros" >= 0);
CREATE TRIGGER "runs_finished_is_final" BEFORE UPDATE OF "status" ON "runs"
  FOR EACH ROW WHEN (OLD."finished_at" IS NOT NULL AND NEW."status" IS DISTINCT FROM OLD."status")
  EXECUTE FUNCTION "refuse_change"('a finished run stays as it ended');

ALTER TABLE "tool_calls" ADD CONSTRAINT "tool_calls_running_has_claim"
  CHECK ("status" <> 'running' OR ("claimed_by" IS NOT NULL AND "started_at" IS NOT NULL));
ALTER TABLE "tool_calls" ADD CONSTRAINT "tool_calls_finished_at"
  CHECK (("status" IN ('succeeded', 'failed', 'interrupted', 'refused', 'denied')) = ("finished_at" IS NOT NULL));
CREATE TRIGGER "tool_calls_finished_is_final" BEFORE UPDATE OF "status" ON "tool_calls"
  FOR EACH ROW WHEN (OLD."finished_at" IS NOT NULL AND NEW."status" IS DISTINCT FROM OLD."status")
  EXECUTE FUNCTION "refuse_change"('a finished tool call stays as it ended');

-- Questions ----------------------------------------------------------------------------------------------------

CREATE UNIQUE INDEX "questions_one_open" ON "questions" ("tool_call_id") WHERE "status" = 'open';
CREATE INDEX "questions_due" ON "questions" ("expires_at") WHERE "status" = 'open';
ALTER TABLE "questions" ADD CONSTRAINT "questions_closed_at" CHECK (("status" = 'open') = ("closed_at" IS NULL));
ALTER TABLE "questions" ADD CONSTRAINT "questions_required_answers" CHECK ("required_answers" BETWEEN 1 AND 20);
CREATE TRIGGER "questions_closed_is_final" BEFORE UPDATE OF "status" ON "questions"
  FOR EACH ROW WHEN (OLD."status" <> 'open' AND NEW."status" IS DISTINCT FROM OLD."status")
  EXECUTE FUNCTION "refuse_change"('a closed question stays as it was answered');

ALTER TABLE "leases" ADD CONSTRAINT "leases_uses" CHECK ("max_uses" > 0 AND "uses" BETWEEN 0 AND "max_uses");

-- Files --------------------------------------------------------------------------------------------------------

ALTER TABLE "virtual_files" ADD CONSTRAINT "virtual_files_one_owner"
  CHECK (("conversation_id" IS NULL) <> ("agent_id" IS NULL));
ALTER TABLE "virtual_files" ADD CONSTRAINT "virtual_files_path" CHECK ("path" LIKE '/%' AND octet_length("path") <= 1024);
ALTER TABLE "virtual_files" ADD CONSTRAINT "virtual_files_size" CHECK ("size" = octet_length("content"));

-- Audit --------------------------------------------------------------------------------------------------------
-- Each event's hash covers the hash before it and every column of its own. The text that is hashed is a JSON array
-- (so no value can pose as two), written by this one function for the trigger and the verifier alike.

CREATE FUNCTION "audit_event_text"(e "audit_events") RETURNS text LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_array(
    e."workspace_id", e."number", to_char(e."at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'),
    e."actor_kind", e."actor_id", e."action", e."subject_kind", e."subject_id", e."data")::text
$$;

-- The head's row lock is what puts the events of parallel transactions in order; it is held until the commit, so
-- write the audit event as the last statement of a transaction.
CREATE FUNCTION "audit_events_chain"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  head "audit_heads"%ROWTYPE;
BEGIN
  INSERT INTO "audit_heads" ("workspace_id", "number", "hash") VALUES (NEW."workspace_id", 0, '')
    ON CONFLICT ("workspace_id") DO NOTHING;
  SELECT * INTO head FROM "audit_heads" WHERE "workspace_id" = NEW."workspace_id" FOR UPDATE;
  NEW."number" := head."number" + 1;
  NEW."previous_hash" := head."hash";
  NEW."hash" := sha256(head."hash" || convert_to("audit_event_text"(NEW), 'UTF8'));
  UPDATE "audit_heads" SET "number" = NEW."number", "hash" = NEW."hash" WHERE "workspace_id" = NEW."workspace_id";
  RETURN NEW;
END $$;
CREATE TRIGGER "audit_events_chain" BEFORE INSERT ON "audit_events"
  FOR EACH ROW EXECUTE FUNCTION "audit_events_chain"();
CREATE TRIGGER "audit_events_append_only" BEFORE UPDATE OR DELETE ON "audit_events"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"('the audit log is append-only');
CREATE TRIGGER "audit_events_no_truncate" BEFORE TRUNCATE ON "audit_events"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"('the audit log is append-only');
