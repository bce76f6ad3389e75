import type { NextRequest } from 'next/server'
import NextAuth from 'next-auth'
import { authOptions } from '../../../../auth-options.ts'

type Context = { params: Promise<{ nextauth: string[] }> }

function handle(request: NextRequest, context: Context): Promise<Response> {
  // The door sets this header on every request and lets nobody else set it.
  const origin = request.headers.get('x-qm-origin') ?? ''
  return NextAuth(request, context, authOptions(origin, request.headers.get('user-agent')))
}

export { handle as GET, handle as POST }
