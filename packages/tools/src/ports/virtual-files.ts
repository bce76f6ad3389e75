// What the `vfs.*` tools need from outside: small text files that live in the database, one tree a conversation or an
// agent. Whoever implements it normalises paths, keeps the limits and never lets one tree see another.

export interface FileTree {
  workspaceId: string
  owner: { kind: 'conversation' | 'agent'; id: string }
}

/** What cannot be done, as a sentence that a model can act on. */
export interface FileProblem {
  ok: false
  problem: string
}

export interface FileEntry {
  kind: 'directory' | 'file'
  /** From the root: `/data/report.txt`. */
  path: string
  /** Of a file, in bytes; 0 for a directory. */
  size: number
}

/** Paths in answers are normalised: absolute, without `.`, `..` and doubled slashes. */
export interface VirtualFiles {
  read(tree: FileTree, path: string): Promise<{ ok: true; path: string; content: Uint8Array } | FileProblem>
  /** Creates or replaces. Directories come and go with the files in them. */
  write(
    tree: FileTree,
    path: string,
    content: Uint8Array,
  ): Promise<{ ok: true; path: string; created: boolean } | FileProblem>
  /** A page of what is directly in a directory, directories first; `after` is the last path of the page before. */
  list(
    tree: FileTree,
    path: string,
    page?: { after?: string },
  ): Promise<{ ok: true; path: string; entries: readonly FileEntry[]; more: boolean } | FileProblem>
}
