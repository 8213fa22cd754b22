/** Has the browser save a value as a file. @returns its name, of which what no file system takes is replaced */
export function saveJson(name: string, value: unknown): string {
  const download = `${name.replaceAll(/[^\w.-]/g, '_')}.json`;
  const href = URL.createObjectURL(new Blob([JSON.stringify(value)], { type: 'application/json' }));
  Object.assign(document.createElement('a'), { href, download }).click();
  URL.revokeObjectURL(href);
  return download;
}
