// Rewrites messages for agents: messages name commands and options, but an agent has tools and inputs.

export type Wording = (text: string) => string;

export function createWording(toolPaths: readonly string[]): Wording {
  const longestFirst = toolPaths.toSorted((a, b) => b.length - a.length);
  return (text) => {
    let isForPerson = false;
    const said = text
      .replace(/`vals ([^`]+)`/g, (command, words: string) => {
        const path = longestFirst.find((each) => words === each || words.startsWith(`${each} `));
        if (path !== undefined) return asTool(path, words.slice(path.length));
        isForPerson = true;
        return command;
      })
      .replace(/(?<![\w`-])--([a-z]+(?:-[a-z]+)*)/g, (_option, name: string) => camelCase(name))
      .replace(/; -: standard input/, '')
      .replace(/\bstandard input\b/gi, 'code');
    return isForPerson ? `${said} A person has to run that command: it is not a tool.` : said;
  };
}

/** `vals pull hello.ts --merge` becomes `pull` (hello.ts, merge). */
function asTool(path: string, rest: string): string {
  const name = `\`${path.replaceAll(' ', '_')}\``;
  const given = rest
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => (word.startsWith('--') ? camelCase(word.slice(2)) : word));
  return given.length === 0 ? name : `${name} (${given.join(', ')})`;
}

const camelCase = (name: string): string =>
  name.replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase());
