import { DefaultNamingStrategy } from 'typeorm';

/** Columns are called as their properties are, in snake case: `seatId` is `seat_id`. */
export class SnakeCaseNaming extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName || propertyName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}
