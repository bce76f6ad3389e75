-- What a turn writes, with less to keep up for each row (docs/decisions/0008).

-- A second reference to the workspace, which held nothing: each of these rows names another of the same workspace in a
-- reference that includes the workspace, and that row is held by it.
ALTER TABLE "conversations" DROP CONSTRAINT "conversations_workspace_id_fkey";
ALTER TABLE "messages" DROP CONSTRAINT "messages_workspace_id_fkey";
ALTER TABLE "inbound_events" DROP CONSTRAINT "inbound_events_workspace_id_fkey";
ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_workspace_id_fkey";
ALTER TABLE "runs" DROP CONSTRAINT "runs_workspace_id_fkey";
ALTER TABLE "run_events" DROP CONSTRAINT "run_events_workspace_id_fkey";
ALTER TABLE "tool_calls" DROP CONSTRAINT "tool_calls_workspace_id_fkey";

-- Events are read by run, in the order of their ids, and in no other way: one index instead of three.
DROP INDEX "run_events_run_id_id_idx";
DROP INDEX "run_events_workspace_id_id_idx";
ALTER TABLE "run_events" DROP CONSTRAINT "run_events_pkey",
ADD CONSTRAINT "run_events_pkey" PRIMARY KEY ("run_id", "id");

-- Room on the page for the next version of a row: then a change of what no index has touches no index.
ALTER TABLE "conversations" SET (fillfactor = 70);
ALTER TABLE "runs" SET (fillfactor = 85);
