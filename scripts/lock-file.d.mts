export function takeLock(file: string): { release: () => void; heldBy: null } | { release: null; heldBy: number }
