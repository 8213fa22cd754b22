import { afterAll, beforeAll, it } from 'vitest';
import { runSection } from './by-shell.js';
import { NewcomersFolder } from './first-answer.js';

let folder: NewcomersFolder;
beforeAll(async () => {
  folder = await NewcomersFolder.open();
});
afterAll(() => folder.close());

it('leads from a PDF to a proved answer by curl', () => runSection(folder, 'By curl'));
