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
