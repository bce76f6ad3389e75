-- AlterTable
ALTER TABLE "conversations" ADD COLUMN     "deleted_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "key" TEXT;

-- CreateTable
CREATE TABLE "conversation_notes" (
    "conversation_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "conversation_notes_pkey" PRIMARY KEY ("conversation_id","name")
);

-- CreateTable
CREATE TABLE "chat_files" (
    "id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,
    "conversation_id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "mime_type" TEXT NOT NULL,
    "content" BYTEA NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "chat_files_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "chat_files_conversation_id_name_received_at_idx" ON "chat_files"("conversation_id", "name", "received_at" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "chat_files_conversation_id_event_id_name_key" ON "chat_files"("conversation_id", "event_id", "name");

-- AddForeignKey
ALTER TABLE "conversation_notes" ADD CONSTRAINT "conversation_notes_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conversation_notes" ADD CONSTRAINT "conversation_notes_workspace_id_conversation_id_fkey" FOREIGN KEY ("workspace_id", "conversation_id") REFERENCES "conversations"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chat_files" ADD CONSTRAINT "chat_files_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chat_files" ADD CONSTRAINT "chat_files_workspace_id_conversation_id_fkey" FOREIGN KEY ("workspace_id", "conversation_id") REFERENCES "conversations"("workspace_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A file of a call is sent once, whatever is killed between the call's end and the sending. Most deliveries have no key.
CREATE UNIQUE INDEX "deliveries_once" ON "deliveries" ("run_id", "key") WHERE "key" IS NOT NULL;
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_key_of_a_run" CHECK ("key" IS NULL OR "run_id" IS NOT NULL);

-- What is kept of a deleted conversation says nothing of what was said in it.
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_deleted_is_empty"
  CHECK ("deleted_at" IS NULL OR ("title" = '' AND "opened_by" IS NULL));
