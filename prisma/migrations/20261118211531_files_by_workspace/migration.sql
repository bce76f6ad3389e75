-- CreateIndex
CREATE INDEX "virtual_files_workspace_id_updated_at_id_idx" ON "virtual_files"("workspace_id", "updated_at" DESC, "id" DESC);
