import { type OwnFolder, readable, shortHash } from './own-folder.ts';

const recordsFolder = 'records';

const longestName = 200;

/** The folder of the records of one service. The address of the service can be read from its name. */
export function folderOfService(service: string): string {
  const name = encodeURIComponent(service).replaceAll('*', '%2A');
  const isLong = name.length > longestName;
  return `${recordsFolder}/${isLong ? `${readable(service)}-${shortHash(service)}` : name}`;
}

export const servicesWithRecords = (folder: OwnFolder): string[] =>
  folder.names(recordsFolder).flatMap((name) => {
    const service = decoded(name);
    return folderOfService(service) === `${recordsFolder}/${name}` ? service : [];
  });

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
