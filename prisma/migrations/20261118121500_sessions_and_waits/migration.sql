-- AlterTable
ALTER TABLE "conversations" ADD COLUMN     "opened_by" TEXT;

-- Whoever said the first word of a conversation that is already there.
UPDATE "conversations" c SET "opened_by" = m."member_id" FROM "messages" m
WHERE m."conversation_id" = c."id" AND m."number" = 1;

-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "maybe_sent" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "waits" INTEGER NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "conversations_channel_id_opened_by_last_activity_at_id_idx" ON "conversations"("channel_id", "opened_by", "last_activity_at" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_workspace_id_opened_by_fkey" FOREIGN KEY ("workspace_id", "opened_by") REFERENCES "members"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;
