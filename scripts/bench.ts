// npm run bench [-- name] [--json]
await import('../test/bench/run.ts')
