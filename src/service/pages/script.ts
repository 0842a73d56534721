/** Shows times in the reader's own zone, and copies code. It runs at the end of each page, allowed by its hash. */
export const script = `
const shown = (time, timeStyle = 'short') =>
  new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle });
for (const time of document.querySelectorAll('time')) {
  time.title = time.dateTime;
  time.textContent = shown(time.dateTime, 'seconds' in time.dataset ? 'medium' : 'short');
}
for (const bar of document.querySelectorAll('[data-from]')) {
  const title = bar.querySelector('title');
  title.textContent = title.textContent.replace(/^.* UTC/, shown(bar.dataset.from));
}
const said = document.getElementById('said');
for (const button of document.querySelectorAll('[data-copy]')) {
  const label = button.textContent;
  button.hidden = !navigator.clipboard;
  button.addEventListener('click', async () => {
    const say = (word, sentence) => {
      button.textContent = word;
      said.textContent = sentence;
      setTimeout(() => {
        button.textContent = label;
        said.textContent = '';
      }, 3000);
    };
    try {
      const response = await fetch(button.dataset.copy);
      if (!response.ok) throw new Error(response.statusText);
      const bytes = await response.arrayBuffer();
      await navigator.clipboard.writeText(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
      say('Copied', 'The code is on the clipboard.');
    } catch {
      say('Not copied', 'The code could not be copied. Open "Raw" and copy it there.');
    }
  });
}
`;
