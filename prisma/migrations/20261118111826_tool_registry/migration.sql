-- CreateEnum
CREATE TYPE "hook" AS ENUM ('confirm', 'log', 'silent');

-- AlterTable
ALTER TABLE "tool_details" ADD COLUMN     "aliases" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "config_schema" TEXT,
ADD COLUMN     "groups" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "hook" "hook" NOT NULL DEFAULT 'confirm',
ADD COLUMN     "idempotent" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "position" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "required_secret_scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "untrusted" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "policy_settings" ADD COLUMN     "approval" JSONB NOT NULL DEFAULT '{}';

-- AlterTable
-- Who may answer becomes a part of what an answer needs.
ALTER TABLE "rules" RENAME COLUMN "approvers" TO "approval";
UPDATE "rules" SET "approval" = jsonb_build_object('approvers', "approval") WHERE "approval" <> '{}';

-- AlterTable
ALTER TABLE "secrets" ADD COLUMN     "last_used_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "questions" ADD COLUMN     "escalate_to" JSONB,
ADD COLUMN     "escalated_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "tool_calls" ADD COLUMN     "taint" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "policy_revisions" (
    "workspace_id" TEXT NOT NULL,
    "revision" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "policy_revisions_pkey" PRIMARY KEY ("workspace_id")
);

-- CreateIndex
CREATE INDEX "tool_details_aliases_idx" ON "tool_details" USING GIN ("aliases");

-- AddForeignKey
ALTER TABLE "policy_revisions" ADD CONSTRAINT "policy_revisions_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema language cannot say. Each rule is named in a comment of the model it guards.

-- Prisma reads a missing list as an empty one and does not forbid it; who reads SQL would find a policy without a deny.
ALTER TABLE "agent_versions" DISABLE TRIGGER "agent_versions_frozen";
UPDATE "agent_versions" SET "tools_allow" = coalesce("tools_allow", '{}'), "tools_deny" = coalesce("tools_deny", '{}')
  WHERE "tools_allow" IS NULL OR "tools_deny" IS NULL;
ALTER TABLE "agent_versions" ENABLE TRIGGER "agent_versions_frozen";
ALTER TABLE "agent_versions"
  ALTER COLUMN "tools_allow" SET DEFAULT '{}', ALTER COLUMN "tools_allow" SET NOT NULL,
  ALTER COLUMN "tools_deny" SET DEFAULT '{}', ALTER COLUMN "tools_deny" SET NOT NULL;
UPDATE "profiles" SET "tools" = '{}' WHERE "tools" IS NULL;
ALTER TABLE "profiles" ALTER COLUMN "tools" SET DEFAULT '{}', ALTER COLUMN "tools" SET NOT NULL;
UPDATE "policy_settings" SET "allow" = '{}' WHERE "allow" IS NULL;
UPDATE "policy_settings" SET "deny" = '{}' WHERE "deny" IS NULL;
ALTER TABLE "policy_settings"
  ALTER COLUMN "allow" SET DEFAULT '{}', ALTER COLUMN "allow" SET NOT NULL,
  ALTER COLUMN "deny" SET DEFAULT '{}', ALTER COLUMN "deny" SET NOT NULL;
UPDATE "skills" SET "tools" = '{}' WHERE "tools" IS NULL;
UPDATE "skills" SET "tool_groups" = '{}' WHERE "tool_groups" IS NULL;
ALTER TABLE "skills"
  ALTER COLUMN "tools" SET DEFAULT '{}', ALTER COLUMN "tools" SET NOT NULL,
  ALTER COLUMN "tool_groups" SET DEFAULT '{}', ALTER COLUMN "tool_groups" SET NOT NULL;
ALTER TABLE "tool_details"
  ALTER COLUMN "aliases" SET DEFAULT '{}', ALTER COLUMN "aliases" SET NOT NULL,
  ALTER COLUMN "groups" SET DEFAULT '{}', ALTER COLUMN "groups" SET NOT NULL,
  ALTER COLUMN "required_secret_scopes" SET DEFAULT '{}', ALTER COLUMN "required_secret_scopes" SET NOT NULL;

ALTER TABLE "tool_calls" ALTER COLUMN "taint" SET NOT NULL;
CREATE INDEX "tool_calls_tainting" ON "tool_calls" ("conversation_id") WHERE "taint" <> '{}';

ALTER TABLE "questions" ADD CONSTRAINT "questions_escalation" CHECK (
  ("on_expiry" = 'deny' AND "escalate_to" IS NULL AND "escalated_at" IS NULL)
  OR ("on_expiry" = 'escalate' AND "escalate_to" IS NOT NULL));

-- Whoever changes a policy, by whatever way, moves the workspace's revision in the same transaction. The row's lock
-- is held until the commit: a reader who sees revision n sees everything that n counts. A workspace that is being
-- deleted is not found, and its revision is not made anew.
CREATE FUNCTION "policy_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed text := CASE TG_OP WHEN 'DELETE' THEN OLD."workspace_id" ELSE NEW."workspace_id" END;
  now_at bigint;
BEGIN
  INSERT INTO "policy_revisions" ("workspace_id", "revision")
    SELECT "id", 1 FROM "workspaces" WHERE "id" = changed
    ON CONFLICT ("workspace_id") DO UPDATE SET "revision" = "policy_revisions"."revision" + 1
    RETURNING "revision" INTO now_at;
  PERFORM pg_notify('qm_policy', json_build_object('workspaceId', changed, 'revision', now_at)::text);
  RETURN NULL;
END $$;
CREATE TRIGGER "policy_changed" AFTER INSERT OR UPDATE OR DELETE ON "policy_settings"
  FOR EACH ROW EXECUTE FUNCTION "policy_changed"();
CREATE TRIGGER "policy_changed" AFTER INSERT OR UPDATE OR DELETE ON "profiles"
  FOR EACH ROW EXECUTE FUNCTION "policy_changed"();
CREATE TRIGGER "policy_changed" AFTER INSERT OR UPDATE OR DELETE ON "rules"
  FOR EACH ROW EXECUTE FUNCTION "policy_changed"();
CREATE TRIGGER "policy_changed" AFTER INSERT OR UPDATE OR DELETE ON "skills"
  FOR EACH ROW EXECUTE FUNCTION "policy_changed"();
CREATE TRIGGER "policy_changed" AFTER INSERT OR DELETE ON "agents"
  FOR EACH ROW EXECUTE FUNCTION "policy_changed"();
-- A draft is nobody's policy.
CREATE TRIGGER "policy_changed" AFTER INSERT OR UPDATE ON "agent_versions"
  FOR EACH ROW WHEN (NEW."published_at" IS NOT NULL) EXECUTE FUNCTION "policy_changed"();
CREATE TRIGGER "policy_changed_by_delete" AFTER DELETE ON "agent_versions"
  FOR EACH ROW WHEN (OLD."published_at" IS NOT NULL) EXECUTE FUNCTION "policy_changed"();
