-- AlterTable
ALTER TABLE "leases" ADD COLUMN     "scope" TEXT NOT NULL DEFAULT '';
