export * from './browser/find-browser.ts'
export * from './contract.ts'
export * from './define-tool.ts'
export * from './sandbox/detect-sandbox.ts'
