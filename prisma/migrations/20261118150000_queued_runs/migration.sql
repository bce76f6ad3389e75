-- The queue: what is queued, oldest first (claimRuns). It holds only those, so it stays as small as the backlog.
CREATE INDEX "runs_queued" ON "runs" ("queued_at") WHERE "status" = 'queued';
