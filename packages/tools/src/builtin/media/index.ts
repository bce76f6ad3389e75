// Files that go to people, and what a picture shows or a recording says.
import type { AnyTool } from '../../contract.ts'
import type { Senses } from '../../ports/senses.ts'
import { createAudioTranscribeTool } from './audio-transcribe.ts'
import { createImageAnalyzeTool } from './image-analyze.ts'
import { createMediaSendTool } from './media-send.ts'
import type { MediaPorts } from './read-source.ts'

export function createMediaTools(ports: MediaPorts & { senses: Senses }): AnyTool[] {
  return [createMediaSendTool(ports), createImageAnalyzeTool(ports), createAudioTranscribeTool(ports)]
}
