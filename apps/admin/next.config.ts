import { join } from 'node:path'
import type { NextConfig } from 'next'

const root = join(import.meta.dirname, '../..')

const config: NextConfig = {
  // The build that `npm start` and `npm test` use is named by what went into it (.build/<hash>), so that two of them
  // can stand side by side and a stale one is never served.
  distDir: process.env.QM_CONSOLE_DIST ?? '.next',
  poweredByHeader: false,
  reactStrictMode: true,
  agentRules: false,
  devIndicators: false,
  // Types are checked by our own `tsc`, over the whole house and with our own settings. Left to itself, the build
  // would also write the types of its folder into tsconfig.json and so change a file that is committed.
  typescript: { ignoreBuildErrors: true },
  turbopack: { root },
  outputFileTracingRoot: root,
  experimental: {
    authInterrupts: true,
    optimizePackageImports: ['radix-ui'],
    // The files of one message of the playground (playground/limits.ts), and the frame around them.
    serverActions: { bodySizeLimit: '13mb' },
  },
}

export default config
