-- DropIndex
DROP INDEX "conversations_channel_id_opened_by_last_activity_at_id_idx";

-- CreateIndex
CREATE INDEX "conversations_opened_by_channel_id_last_activity_at_id_idx" ON "conversations"("opened_by", "channel_id", "last_activity_at" DESC, "id" DESC);
