-- AlterTable
ALTER TABLE "profiles" ADD COLUMN     "reads" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "tool_groups" (
    "workspace_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "tools" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tool_groups_pkey" PRIMARY KEY ("workspace_id","name")
);

-- AddForeignKey
ALTER TABLE "tool_groups" ADD CONSTRAINT "tool_groups_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A list that is missing is no empty list (prisma/schema/policy.prisma).
ALTER TABLE "profiles" ALTER COLUMN "reads" SET NOT NULL;
ALTER TABLE "tool_groups" ALTER COLUMN "tools" SET NOT NULL;

-- Groups are part of the policy: whoever changes one moves its revision.
CREATE TRIGGER "policy_changed" AFTER INSERT OR UPDATE OR DELETE ON "tool_groups"
  FOR EACH ROW EXECUTE FUNCTION "policy_changed"();

-- Drafts that are open say what they have of both: nothing.
UPDATE "policy_drafts" d SET
  "base" = d."base" || jsonb_build_object('groups', '[]'::jsonb, 'profiles', (
    SELECT coalesce(jsonb_agg('{"reads": []}'::jsonb || p ORDER BY at), '[]')
    FROM jsonb_array_elements(d."base" -> 'profiles') WITH ORDINALITY AS t(p, at))),
  "content" = d."content" || jsonb_build_object('groups', '[]'::jsonb, 'profiles', (
    SELECT coalesce(jsonb_agg('{"reads": []}'::jsonb || p ORDER BY at), '[]')
    FROM jsonb_array_elements(d."content" -> 'profiles') WITH ORDINALITY AS t(p, at)));
