/** The right to work on a run; what a claim holder shows at every write. The state machine is in runs.ts. */
export interface Claim {
  runId: string
  claimNumber: number
}

/**
 * The body of a CTE: the run of claim ($1, $2), and no row when the claim is lost. It is locked, so it cannot change
 * hands before the statement ends; parallel tool calls of one run share the lock.
 */
export const heldRun = `SELECT r.id AS run_id, r.workspace_id, r.conversation_id, r.agent_id,
  r.claimed_by || '#' || r.claim_number AS claim_name
  FROM runs r WHERE r.id = $1 AND r.claim_number = $2 AND r.status = 'running' FOR SHARE`
