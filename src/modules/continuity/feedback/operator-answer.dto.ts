import { DateTime, Text } from '../../../common/fields/fields.js';

/** What the operator of the server said to a request or a declaration. */
export class OperatorAnswer {
  @Text({ about: 'What the operator of the server answered.' })
  text!: string;

  @DateTime({ about: 'When.' })
  at!: string;
}
