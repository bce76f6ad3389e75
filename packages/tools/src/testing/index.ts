export * from './sample-tools.ts'
export * from './tool-contract.ts'
