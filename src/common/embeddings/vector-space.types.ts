/** What vectors are comparable in: made by one model of one kind of input. One serves; another may be in the making. */
export interface VectorSpace {
  spaceId: number;
  /** What vectors of passages call it. */
  name: string;
  model: string;
  /** Asked of the endpoint; null: as the model gives. */
  askedDimensions: number | null;
  /** Of its first vector; null before. */
  dimensions: number | null;
  queryPrefix: string;
  passagePrefix: string;
  inputTokens: number;
  state: 'building' | 'serving' | 'retired';
}

/** What the settings ask of a space. */
export type WantedSpace = Pick<
  VectorSpace,
  'model' | 'askedDimensions' | 'queryPrefix' | 'passagePrefix' | 'inputTokens'
>;
