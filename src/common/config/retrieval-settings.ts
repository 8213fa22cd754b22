import { choice, decimal, integer, optionalInteger, setting, text, textOr, url } from './setting.js';

/** Retrieval: tokens, caches, embeddings. */
export const RETRIEVAL_SETTINGS = {
  mergeConcurrency: setting(
    'SVC_INDEX_MERGE_CONCURRENCY',
    integer(1, 0, 16),
    'Merges of index segments that one process runs at once; 0 leaves them to other processes.',
  ),
  embeddingsUrl: setting(
    'SVC_EMBEDDINGS_URL',
    url('http', 'https'),
    'OpenAI-compatible embeddings endpoint (the address before /v1/embeddings, or that address). Unset: lexical ranking only.',
  ),
  embeddingsModel: setting(
    'SVC_EMBEDDINGS_MODEL',
    textOr('text-embedding-3-small'),
    'Model asked of the embeddings endpoint.',
  ),
  embeddingsApiKey: setting('SVC_EMBEDDINGS_API_KEY', text(), 'Bearer token for the embeddings endpoint.', {
    secret: true,
  }),
  embeddingsDimensions: setting(
    'SVC_EMBEDDINGS_DIMENSIONS',
    optionalInteger(1, 16_000),
    'Dimensions asked of the embeddings endpoint, for models that shorten their vectors. Another number in an answer is refused. Unset: as the model gives.',
    { shownDefault: 'as the model gives' },
  ),
  embeddingsQueryPrefix: setting(
    'SVC_EMBEDDINGS_QUERY_PREFIX',
    text(),
    'Put before each query that is embedded, white space included, such as "query: ".',
  ),
  embeddingsPassagePrefix: setting(
    'SVC_EMBEDDINGS_PASSAGE_PREFIX',
    text(),
    'Put before each passage, fact or other text that is embedded to be found, white space included, such as "passage: ".',
  ),
  embeddingsBatch: setting(
    'SVC_EMBEDDINGS_BATCH',
    integer(64, 1, 2048),
    'Texts to one request of the embeddings endpoint.',
  ),
  embeddingsInputTokens: setting(
    'SVC_EMBEDDINGS_INPUT_TOKENS',
    integer(8000, 16, 1_000_000),
    'Tokens of a text that are embedded, its prefix included; the rest of a longer one is left out, between two tokens.',
  ),
  embeddingsEncoding: setting(
    'SVC_EMBEDDINGS_ENCODING',
    choice(['float', 'base64'], 'float'),
    'Form in which vectors are asked of the embeddings endpoint; base64 is a third of the bytes.',
  ),
  vectorWeight: setting(
    'SVC_VECTOR_WEIGHT',
    decimal(0.5, 0, 10),
    'Weight of the vector component relative to the lexical one; see docs/retrieval.md.',
  ),
};
