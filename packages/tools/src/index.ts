export * from './browser/find-browser.ts'
export * from './sandbox/detect-sandbox.ts'
