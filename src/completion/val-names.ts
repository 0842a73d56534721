// The vals that can be named where completion is asked for.

/** One day the names of the workspace's vals; there is no workspace yet. */
export const valNames = async (): Promise<readonly string[]> => [];
