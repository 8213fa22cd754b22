import { afterAll, beforeAll, describe, it } from 'vitest';
import { type EmbeddingsServer, startEmbeddings } from '../../kit/embeddings.js';
import { ShellPage } from '../processes/shell-page.js';

const page = new ShellPage('embeddings.md');
let endpoint: EmbeddingsServer;
beforeAll(async () => {
  endpoint = await startEmbeddings();
  await page.start({ SVC_EMBEDDINGS_URL: endpoint.url, SVC_EMBEDDINGS_MODEL: 'words' });
});
afterAll(async () => {
  await page.stop();
  await endpoint.close();
});

describe('docs/embeddings.md', () => {
  it('shows commands that work as they stand, against a fresh server', { timeout: 300_000 }, async () => {
    const { stdout } = await page.runAside();
    page.expectPromised(stdout, 4);
  });
});
