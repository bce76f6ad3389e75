-- The executions that were asked about or denied, newest first (packages/db/src/list-tool-calls.ts). Most calls are
-- allowed and are not in it, so that the hot path does not write it.
CREATE INDEX "tool_calls_not_allowed" ON "tool_calls" ("workspace_id", "decision", "requested_at" DESC, "id" DESC)
  WHERE "decision" <> 'allow';
