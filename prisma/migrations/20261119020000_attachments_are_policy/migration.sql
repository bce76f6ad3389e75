-- What is attached to an agent is part of what it may do, and bots keep it with the rest of the policy. So whoever changes
-- it moves the workspace's revision and tells NOTIFY channel qm_policy, as policy_changed does for the other tables. By
-- statement: publishing an agent with thirty tools is one change. Of several workspaces the revisions are taken in one
-- order, so that two who change them do not wait for each other. A workspace that is being deleted is not found.
CREATE FUNCTION "move_policies"("ids" text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  moved record;
BEGIN
  FOR moved IN
    INSERT INTO "policy_revisions" ("workspace_id", "revision")
      SELECT "id", 1 FROM "workspaces" WHERE "id" = ANY("ids") ORDER BY "id"
      ON CONFLICT ("workspace_id") DO UPDATE SET "revision" = "policy_revisions"."revision" + 1
      RETURNING "workspace_id", "revision"
  LOOP
    PERFORM pg_notify('qm_policy', json_build_object('workspaceId', moved."workspace_id", 'revision', moved."revision")::text);
  END LOOP;
END $$;

-- An agent that is deleted is not found here; trigger policy_changed on agents tells of it.
CREATE FUNCTION "attachments_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "move_policies"(ARRAY(SELECT a."workspace_id" FROM "changed" c JOIN "agents" a ON a."id" = c."agent_id"));
  RETURN NULL;
END $$;
CREATE TRIGGER "attachments_changed_by_insert" AFTER INSERT ON "agent_tools"
  REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "attachments_changed"();
CREATE TRIGGER "attachments_changed_by_update" AFTER UPDATE ON "agent_tools"
  REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "attachments_changed"();
CREATE TRIGGER "attachments_changed_by_delete" AFTER DELETE ON "agent_tools"
  REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "attachments_changed"();

-- A tool that is gone, back or switched off for everybody: those who have it are told.
CREATE FUNCTION "attached_tools_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "move_policies"(ARRAY(SELECT a."workspace_id" FROM "changed" c
    JOIN "agent_tools" t ON t."tool_id" = c."tool_id" JOIN "agents" a ON a."id" = t."agent_id"));
  RETURN NULL;
END $$;
CREATE TRIGGER "attached_tools_changed_by_insert" AFTER INSERT ON "tool_details"
  REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "attached_tools_changed"();
CREATE TRIGGER "attached_tools_changed_by_update" AFTER UPDATE ON "tool_details"
  REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "attached_tools_changed"();
CREATE TRIGGER "attached_tools_changed_by_delete" AFTER DELETE ON "tool_details"
  REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "attached_tools_changed"();
