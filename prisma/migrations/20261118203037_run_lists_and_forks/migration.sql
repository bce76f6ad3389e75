-- AlterTable
ALTER TABLE "conversations" ADD COLUMN     "forked_from" TEXT,
ADD COLUMN     "taint" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateIndex
CREATE INDEX "runs_workspace_id_requested_by_queued_at_id_idx" ON "runs"("workspace_id", "requested_by", "queued_at" DESC, "id" DESC);

-- Runs that no message asked for are few among those that one did.
CREATE INDEX "runs_by_trigger" ON "runs" ("workspace_id", "trigger", "queued_at" DESC, "id" DESC) WHERE "trigger" <> 'message';

-- Part of a title or of an error's message. Only of finished runs, so that a run is written into it once and not at every
-- step of its life. The extension comes with PostgreSQL and may be created by whoever owns the database.
CREATE EXTENSION IF NOT EXISTS "pg_trgm";
CREATE INDEX "runs_text" ON "runs" USING gin (("title" || ' ' || coalesce("error_message", '')) gin_trgm_ops)
  WHERE "finished_at" IS NOT NULL;
