-- AlterTable
ALTER TABLE "agent_versions" ADD COLUMN     "approvals_required" INTEGER,
ADD COLUMN     "drafted_by" TEXT,
ADD COLUMN     "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- CreateIndex
CREATE INDEX "agents_workspace_id_created_at_id_idx" ON "agents"("workspace_id", "created_at", "id");

-- AddForeignKey
ALTER TABLE "agent_versions" ADD CONSTRAINT "agent_versions_workspace_id_drafted_by_fkey" FOREIGN KEY ("workspace_id", "drafted_by") REFERENCES "members"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "agent_versions" ADD CONSTRAINT "agent_versions_approvals_required"
  CHECK ("approvals_required" BETWEEN 1 AND 20);

-- PostgreSQL 15 has no IS JSON. A configuration that cannot be read is recorded as none.
CREATE FUNCTION pg_temp.config_of(config text) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  RETURN config::jsonb;
EXCEPTION WHEN invalid_text_representation OR untranslatable_character THEN
  RETURN NULL;
END $$;

-- From here on what is attached is what the newest version says. Where it was attached past the history until now, one
-- version records it: going back to it gives the tools back, and not none, which would mean the default set.
INSERT INTO "agent_versions" ("id", "workspace_id", "agent_id", "number", "published_at", "model", "provider",
  "instructions", "profile", "autonomy", "tools_allow", "tools_deny", "approvers", "budgets", "attachments", "note")
SELECT 'agv_' || left(md5(v."id"), 26), v."workspace_id", v."agent_id", v."number" + 1, now(), v."model", v."provider",
  v."instructions", v."profile", v."autonomy", v."tools_allow", v."tools_deny", v."approvers", v."budgets",
  live."attachments", 'What was attached so far.'
FROM "agent_versions" v
CROSS JOIN LATERAL (
  SELECT jsonb_agg(jsonb_build_object('toolId', t."tool_id", 'config', pg_temp.config_of(t."config"))
    ORDER BY t."tool_id") AS "attachments"
  FROM "agent_tools" t WHERE t."agent_id" = v."agent_id"
) live
WHERE live."attachments" IS NOT NULL AND live."attachments" <> v."attachments"
  AND v."number" = (SELECT max(n."number") FROM "agent_versions" n WHERE n."agent_id" = v."agent_id")
  AND v."published_at" IS NOT NULL;
