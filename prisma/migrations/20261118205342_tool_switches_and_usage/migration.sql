-- CreateTable
CREATE TABLE "tool_switches" (
    "workspace_id" TEXT NOT NULL,
    "tool_id" TEXT NOT NULL,
    "disabled_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabled_by" TEXT,

    CONSTRAINT "tool_switches_pkey" PRIMARY KEY ("workspace_id","tool_id")
);

-- CreateTable
CREATE TABLE "tool_usage_days" (
    "workspace_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "tool_name" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "calls" INTEGER NOT NULL DEFAULT 0,
    "succeeded" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "interrupted" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,
    "denied" INTEGER NOT NULL DEFAULT 0,
    "durations" INTEGER[],

    CONSTRAINT "tool_usage_days_pkey" PRIMARY KEY ("workspace_id","day","tool_name","agent_id")
);

-- CreateTable
CREATE TABLE "tool_usage_marks" (
    "workspace_id" TEXT NOT NULL,
    "seen_to" TIMESTAMPTZ(3) NOT NULL DEFAULT '-infinity'::timestamptz,

    CONSTRAINT "tool_usage_marks_pkey" PRIMARY KEY ("workspace_id")
);

-- CreateTable
CREATE TABLE "tool_usage_pending" (
    "tool_call_id" TEXT NOT NULL,
    "workspace_id" TEXT NOT NULL,

    CONSTRAINT "tool_usage_pending_pkey" PRIMARY KEY ("tool_call_id")
);

-- CreateIndex
CREATE INDEX "tool_switches_tool_id_idx" ON "tool_switches"("tool_id");

-- CreateIndex
CREATE INDEX "tool_usage_pending_workspace_id_idx" ON "tool_usage_pending"("workspace_id");

-- AddForeignKey
ALTER TABLE "tool_switches" ADD CONSTRAINT "tool_switches_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tool_switches" ADD CONSTRAINT "tool_switches_tool_id_fkey" FOREIGN KEY ("tool_id") REFERENCES "tools"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tool_switches" ADD CONSTRAINT "tool_switches_workspace_id_disabled_by_fkey" FOREIGN KEY ("workspace_id", "disabled_by") REFERENCES "members"("workspace_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tool_usage_days" ADD CONSTRAINT "tool_usage_days_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tool_usage_marks" ADD CONSTRAINT "tool_usage_marks_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspaces"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tool_usage_pending" ADD CONSTRAINT "tool_usage_pending_tool_call_id_fkey" FOREIGN KEY ("tool_call_id") REFERENCES "tool_calls"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What is switched off is part of the policy: whoever keeps it compiled is told, in the same transaction.
CREATE TRIGGER "policy_changed" AFTER INSERT OR UPDATE OR DELETE ON "tool_switches"
  FOR EACH ROW EXECUTE FUNCTION "policy_changed"();

-- As of every list that Prisma cannot call NOT NULL.
ALTER TABLE "tool_usage_days" ALTER COLUMN "durations" SET NOT NULL;
