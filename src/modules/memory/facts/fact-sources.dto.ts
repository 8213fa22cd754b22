import { Choice, DateTime, Flag, Integer, Text, Uuid } from '../../../common/fields/fields.js';
import {
  FACT_SOURCE_KINDS,
  FACT_SOURCE_STATES,
  type FactSourceKind,
  type FactSourceState,
} from './fact-sources.types.js';

/** What a fact was learnt from, as it stands now. */
export class FactSourceReply {
  @Text({ about: 'The id, as it was sent.' })
  id!: string;

  @Choice({ about: 'What the id names.', values: FACT_SOURCE_KINDS })
  kind!: FactSourceKind;

  @Choice({
    about:
      'holds: what stood there when the fact was stored stands there now. changed: a newer document has not its text, or a newer fact or answer is current. gone: it was deleted, or you may not see it.',
    values: FACT_SOURCE_STATES,
  })
  state!: FactSourceState;

  @Text({ about: 'What stands there now, where it is known and has another id.', optional: true })
  new_id?: string;
}

/** The fact that a write superseded. */
export class ReplacedFactReply {
  @Uuid({ about: 'Names the record.' })
  fact_id!: string;

  @Text({ about: 'The first 200 characters of its value.' })
  value!: string;

  @Flag({ about: 'The value is longer. Absent otherwise.', optional: true })
  value_truncated?: true;

  @Integer({ about: 'Its version.' })
  version!: number;

  @DateTime({ about: 'When it was stored.' })
  stored_at!: string;
}
