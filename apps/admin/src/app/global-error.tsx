'use client'

import './globals.css'

/** The last resort, when even the frame of the page failed. */
export default function GlobalError() {
  return (
    <html lang="en">
      <body>
        <main className="grid min-h-dvh place-items-center p-6 text-center">
          <div>
            <h1 className="font-semibold text-lg">The console could not be shown</h1>
            <p className="my-3 text-ink-2">Its log says why. Often the database was away for a moment.</p>
            <button
              type="button"
              onClick={() => window.location.reload()}
              className="rounded-md border border-line-strong px-3 py-1.5"
            >
              Try again
            </button>
          </div>
        </main>
      </body>
    </html>
  )
}
