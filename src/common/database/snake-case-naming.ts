import { DefaultNamingStrategy } from 'typeorm';
import { snakeCase } from '../fields/snake-case.js';

/** Columns are called as their properties are, in snake case: `seatId` is `seat_id`. */
export class SnakeCaseNaming extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName || snakeCase(propertyName);
  }
}
