// Where an agent's files lie on the machine: one folder a workspace. The tools go no further than this folder.

export interface WorkFolders {
  /** The absolute path of the folder, which exists. */
  folderOf(caller: { workspaceId: string; agentId: string }): Promise<string>
}
