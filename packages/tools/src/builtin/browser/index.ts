import type { BrowserManager } from '../../browser/browser-manager.ts'
import type { AnyTool } from '../../contract.ts'
import { createClickTool } from './click.ts'
import { createContentTool } from './content.ts'
import { createEvalTool } from './eval.ts'
import { createNavigateTool } from './navigate.ts'
import { createScreenshotTool } from './screenshot.ts'
import { createTypeTool } from './type.ts'

export const createBrowserTools = (manager: BrowserManager): AnyTool[] => [
  createNavigateTool(manager),
  createScreenshotTool(manager),
  createClickTool(manager),
  createTypeTool(manager),
  createContentTool(manager),
  createEvalTool(manager),
]
