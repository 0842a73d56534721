import type { Context, Result } from '../command.ts';
export const watchWorkspace = async (_c: Context, _o: object): Promise<Result> => undefined;
