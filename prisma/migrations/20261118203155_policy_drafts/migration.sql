-- CreateTable
CREATE TABLE "policy_drafts" (
    "workspace_id" TEXT NOT NULL,
    "base_revision" BIGINT NOT NULL,
    "base" JSONB NOT NULL,
    "content" JSONB NOT NULL,
    "updated_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "policy_drafts_pkey" PRIMARY KEY ("workspace_id")
);

-- AddForeignKey
ALTER TABLE "policy_drafts" ADD CONSTRAINT "policy_drafts_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "policy_drafts" ADD CONSTRAINT "policy_drafts_workspace_id_updated_by_fkey" FOREIGN KEY ("workspace_id", "updated_by") REFERENCES "members"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
