-- CreateTable
CREATE TABLE "memories" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "agent_id" TEXT,
    "namespace" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "digest" BYTEA NOT NULL,
    "taint" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memories_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "memories_workspace_id_agent_id_namespace_created_at_id_idx" ON "memories"("workspace_id", "agent_id", "namespace", "created_at" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "memories" ADD CONSTRAINT "memories_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memories" ADD CONSTRAINT "memories_workspace_id_agent_id_fkey" FOREIGN KEY ("workspace_id", "agent_id") REFERENCES "agents"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The same note is there once; the workspace's own have no agent.
CREATE UNIQUE INDEX "memories_once" ON "memories" ("workspace_id", "agent_id", "namespace", "digest") NULLS NOT DISTINCT;

-- Words as they are written, and in their English forms (packages/db/src/memories.ts).
CREATE INDEX "memories_words" ON "memories" USING gin ((to_tsvector('simple', "content") || to_tsvector('english', "content")));
