-- AlterTable
ALTER TABLE "messages" ADD COLUMN     "turn" JSONB;

-- AlterTable
ALTER TABLE "runs" ADD COLUMN     "budget_notice_at" TIMESTAMPTZ(3),
ADD COLUMN     "lost_claims" INTEGER NOT NULL DEFAULT 0;
