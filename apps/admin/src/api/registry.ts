// Every endpoint of the REST API, in the order of the reference. A route.ts serves them; a test fails where one of the
// two has what the other has not.
import type { Endpoint } from './endpoint.ts'
import * as agentTools from './endpoints/agent-tools.ts'
import * as agents from './endpoints/agents.ts'
import * as audit from './endpoints/audit.ts'
import { exportAudit } from './endpoints/audit-export.ts'
import * as executions from './endpoints/executions.ts'
import { getFile } from './endpoints/files.ts'
import * as playground from './endpoints/playground.ts'
import * as policies from './endpoints/policies.ts'
import * as questions from './endpoints/questions.ts'
import * as runChanges from './endpoints/run-changes.ts'
import * as runStreams from './endpoints/run-streams.ts'
import * as runs from './endpoints/runs.ts'
import * as secrets from './endpoints/secrets.ts'
import * as tools from './endpoints/tools.ts'

export const endpoints: readonly Endpoint[] = [
  ...[tools.listTools, tools.getTool, tools.getToolDetail],
  ...[agents.listAgents, agents.getAgent, agents.listAgentVersions],
  ...[agentTools.listAgentTools, agentTools.attachAgentTool, agentTools.detachAgentTool],
  ...[runs.listRuns, runs.getRun, runs.listRunEvents, runs.listRunQuestions, runs.getRunFile],
  ...[runStreams.exportRuns, runStreams.followRun],
  ...[runChanges.stopRun, runChanges.repeatRun, runChanges.forkRun],
  ...[executions.listExecutions, executions.getExecution, executions.exportExecutions, executions.followExecutions],
  ...[questions.listQuestions, questions.getQuestion, questions.answerQuestion, questions.followQuestionsOf],
  ...[policies.getPolicy, getFile],
  ...[secrets.listSecrets, secrets.storeSecret, secrets.retireSecret],
  ...[audit.listAudit, audit.verifyAudit, exportAudit],
  ...[playground.listSessions, playground.getSession, playground.chat],
  ...[playground.followSession, playground.getSessionFile],
]
