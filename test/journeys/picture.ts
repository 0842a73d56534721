const cell = { width: 8.4, height: 20 };
const margin = 20;
const bar = { height: 34 };
const fontSize = 14;

interface Look {
  bold: boolean;
  dim: boolean;
  color: string | undefined;
}

interface Piece extends Look {
  text: string;
  column: number;
}

const colors: Record<string, string> = { 31: 'red', 32: 'green', 33: 'yellow', 36: 'cyan' };

export function pictureOf(screen: string, columns: number, title: string): string {
  const lines = screen.trimEnd().split('\n').map(piecesOf);
  const width = Math.ceil(columns * cell.width + 2 * margin);
  const height = bar.height + lines.length * cell.height + 1.5 * margin;
  const drawn = lines.flatMap((pieces, row) => pieces.map((piece) => draw(piece, row)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">${escaped(title)}</title>
<style>
  .window { fill: #ffffff; stroke: #d0d7de; }
  .bar { fill: #f6f8fa; }
  .edge { stroke: #d0d7de; }
  .dot { fill: #d0d7de; }
  text { font: ${fontSize}px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; }
  .bold { font-weight: 600; }
  .plain { fill: #1f2328; }
  .dim { fill: #6e7781; }
  .red { fill: #cf222e; }
  .green { fill: #1a7f37; }
  .yellow { fill: #9a6700; }
  .cyan { fill: #1b7c83; }
  @media (prefers-color-scheme: dark) {
    .window { fill: #0d1117; stroke: #30363d; }
    .bar { fill: #161b22; }
    .edge { stroke: #30363d; }
    .dot { fill: #484f58; }
    .plain { fill: #e6edf3; }
    .dim { fill: #8b949e; }
    .red { fill: #ff7b72; }
    .green { fill: #56d364; }
    .yellow { fill: #e3b341; }
    .cyan { fill: #56d4dd; }
  }
</style>
<rect class="window" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10"/>
<path class="bar" d="M1 ${bar.height}V10.5A9.5 9.5 0 0 1 10.5 1H${width - 10.5}A9.5 9.5 0 0 1 ${width - 1} 10.5V${bar.height}Z"/>
<line class="edge" x1="1" x2="${width - 1}" y1="${bar.height}" y2="${bar.height}"/>
${[20, 38, 56].map((x) => `<circle class="dot" cx="${x}" cy="${bar.height / 2}" r="6"/>`).join('\n')}
${drawn.join('\n')}
</svg>
`;
}

function piecesOf(line: string): Piece[] {
  const pieces: Piece[] = [];
  let look: Look = { bold: false, dim: false, color: undefined };
  let column = 0;
  for (const part of line.split(/(\u001b\[\d+m)/)) {
    const [, code] = /^\u001b\[(\d+)m$/.exec(part) ?? [];
    if (code !== undefined) {
      look = after(look, code);
      continue;
    }
    if (part.includes('\u001b')) throw new Error(`This is no colour: ${JSON.stringify(part)}`);
    for (const [text] of part.matchAll(/[▁-█]|[^▁-█ ](?:[^▁-█ ]| (?! ))*| +/g)) {
      if (text.trim() !== '') pieces.push({ ...look, text, column });
      column += [...text].length;
    }
  }
  return pieces;
}

function after(look: Look, code: string): Look {
  if (code === '1') return { ...look, bold: true };
  if (code === '2') return { ...look, dim: true };
  if (code === '22') return { ...look, bold: false, dim: false };
  if (code === '39') return { ...look, color: undefined };
  const color = colors[code];
  if (color === undefined) throw new Error(`No colour is known for ${code}`);
  return { ...look, color };
}

function draw({ text, column, bold, dim, color }: Piece, row: number): string {
  const x = round(margin + column * cell.width);
  const top = bar.height + margin / 2 + row * cell.height;
  const kind = color ?? (dim ? 'dim' : 'plain');
  const eighths = text.codePointAt(0) as number;
  if (/^[▁-█]$/.test(text)) {
    const height = ((eighths - 0x2580) / 8) * (cell.height - 4);
    return `<rect class="${kind}" x="${x}" y="${round(top + cell.height - 2 - height)}" width="${cell.width - 1.4}" height="${round(height)}" rx="1"/>`;
  }
  const length = round([...text.trimEnd()].length * cell.width);
  const classes = bold ? `${kind} bold` : kind;
  return `<text class="${classes}" x="${x}" y="${top + 15}" textLength="${length}" lengthAdjust="spacingAndGlyphs">${escaped(text.trimEnd())}</text>`;
}

const round = (number: number): number => Math.round(10 * number) / 10;
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
