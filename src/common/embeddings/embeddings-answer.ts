/** The endpoint did not give what was asked of it. */
export class EmbeddingsUnavailable extends Error {
  /** How long the endpoint asks to be left alone. */
  retryAfterMs = 0;
  /** It has no vector for what it was sent; of other texts it may have one. */
  isOfTexts = false;
  /** It says itself that it does not take the text: a shorter one it may take. */
  isRefusal = false;
  /** It failed at the work: while it does other work, the texts are the cause. */
  mayBeOfTexts = false;

  constructor(
    message: string,
    /** Whether the same may be answered later: a time-out, a refusal to serve (429) or a fault (5xx). */
    readonly mayRecover: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Of an endpoint that refuses the texts themselves: the same are refused again. */
export function refusedTexts(message: string): EmbeddingsUnavailable {
  const failure = new EmbeddingsUnavailable(message, false);
  failure.isOfTexts = true;
  failure.isRefusal = true;
  return failure;
}

export interface EmbeddingsAnswer {
  data?: { index?: number; embedding?: unknown }[];
  usage?: { prompt_tokens?: unknown; total_tokens?: unknown };
}

export interface EmbeddedTexts {
  /** Of unit length, one a text, in order. */
  vectors: Float32Array[];
  /** What the endpoint says it took; undefined where it says nothing. */
  usage: EmbeddingTokens | undefined;
}

interface EmbeddingTokens {
  prompt: number;
  total: number;
}

/** @param dimensions that every vector must have; undefined: all the same @throws EmbeddingsUnavailable */
export function readAnswer(answer: EmbeddingsAnswer, count: number, dimensions?: number): EmbeddedTexts {
  return { vectors: vectorsOf(answer, count, dimensions), usage: usageOf(answer) };
}

function vectorsOf({ data }: EmbeddingsAnswer, count: number, dimensions?: number): Float32Array[] {
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  data?.forEach(({ index, embedding }, i) => (vectors[index ?? i] = unitVector(embedding)));
  const [first] = vectors;
  const whole = vectors.filter((vector) => vector !== undefined && vector.length === first?.length);
  if (whole.length < vectors.length || vectors.length !== count) {
    const failure = new EmbeddingsUnavailable(
      'The embeddings endpoint answered something else than one vector a text',
      false,
    );
    failure.isOfTexts = true;
    throw failure;
  }
  if (dimensions !== undefined && first && first.length !== dimensions)
    throw new EmbeddingsUnavailable(
      `The embeddings endpoint answered vectors of ${first.length} dimensions where ${dimensions} are expected`,
      false,
    );
  return whole as Float32Array[];
}

function usageOf({ usage }: EmbeddingsAnswer): EmbeddingTokens | undefined {
  const { prompt_tokens: prompt, total_tokens: total = prompt } = usage ?? {};
  return isCount(prompt) && isCount(total) ? { prompt, total } : undefined;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Of numbers, or of the bytes of binary32 numbers, least significant byte first, in base64. */
function unitVector(embedding: unknown): Float32Array | undefined {
  const vector = typeof embedding === 'string' ? fromBase64(embedding) : fromNumbers(embedding);
  if (!vector || vector.length === 0 || !vector.every(Number.isFinite)) return undefined;
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length > 0 && Number.isFinite(length) ? vector.map((value) => value / length) : undefined;
}

function fromNumbers(values: unknown): Float32Array | undefined {
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'number')) return undefined;
  return Float32Array.from(values);
}

function fromBase64(text: string): Float32Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
}
