// @vitest-environment node
// Which acts are meant for what stands on a page. The ways are those of a person whose hands are at something else.
import { describe, expect, it } from 'vitest';
import { Arming, FOLLOWS, MOVED, REST } from '../src/review/arming';

/** When the person did nothing here yet. */
const NEVER = -Infinity;

/** A page that a request has just come up on by itself, painted at 0. */
function cameUp(acted = NEVER): Arming {
  const arming = new Arming();
  arming.look(true, true, 0, acted);
  arming.stands(0, acted);
  arming.painted(0);
  return arming;
}

/** The mouse comes to lie on the page, and is moved there. */
function moved(arming: Arming, by = MOVED): Arming {
  arming.point(400, 400, true);
  arming.point(400 + by, 400);
  return arming;
}

/** What a click at that moment comes to: null where it sends. */
function click(arming: Arming, at: number, mouse = true) {
  arming.press(at, mouse);
  return arming.clicked();
}

describe('what sends', () => {
  it('waits until what came up has stood for a while', () => {
    const arming = cameUp();
    expect(arming.sends(REST - 1)).toBe('early');
    expect(arming.sends(REST)).toBeNull();
  });

  it('waits for the picture, the eyes and the keys, whichever comes last', () => {
    const arming = new Arming();
    arming.stands(0, NEVER);
    arming.painted(0);
    expect(arming.armedAt, 'nobody can see it').toBe(Infinity);
    arming.look(true, false, 100, NEVER);
    arming.painted(200);
    expect(arming.armedAt, 'the keys go elsewhere').toBe(Infinity);
    arming.look(true, true, 300, NEVER);
    expect(arming.armedAt).toBe(300 + REST);
    const late = new Arming();
    late.look(true, true, 0, NEVER);
    late.stands(0, NEVER);
    expect(late.armedAt, 'it isn’t painted yet').toBe(Infinity);
    late.painted(900);
    late.painted(5_000);
    expect(late.armedAt, 'the first picture counts').toBe(900 + REST);
  });

  it('waits for a pause of keys and buttons, and stays armed after it', () => {
    const arming = cameUp();
    for (let at = 100; at <= 2_000; at += 100) {
      expect(arming.key(at), `a key at ${at} is another program’s`).toBe(false);
      expect(arming.sends(at)).toBe('early');
    }
    expect(arming.press(2_300, true), 'so is a button').toBe(false);
    expect(arming.armedAt).toBe(2_300 + REST);
    for (let at = 3_000; at < 4_000; at += 50) {
      expect(arming.key(at), 'from then on keys are meant').toBe(true);
      expect(arming.sends(at)).toBeNull();
    }
  });

  it.each([
    ['lost keys', (arming: Arming) => [false, true].forEach((on) => arming.look(true, on, 5_000, NEVER))],
    [
      'a window that was away',
      (arming: Arming) => {
        arming.look(false, true, 4_000, NEVER);
        arming.look(true, true, 5_000, NEVER);
        arming.painted(5_000);
      },
    ],
    [
      'another request',
      (arming: Arming) => {
        arming.stands(4_900, NEVER);
        arming.painted(5_000);
      },
    ],
    [
      'other buttons',
      (arming: Arming) => {
        arming.changes(4_900);
        arming.painted(5_000);
      },
    ],
  ])('begins anew with %s', (_, happens) => {
    const arming = moved(cameUp());
    expect([arming.sends(4_000), click(arming, 4_000)]).toEqual([null, null]);
    happens(arming);
    moved(arming);
    expect([arming.sends(5_699), click(arming, 5_699)]).toEqual(['early', 'early']);
    const again = moved(cameUp());
    happens(again);
    moved(again);
    expect([again.sends(5_700), click(again, 5_700)]).toEqual([null, null]);
  });
});

describe('what the person has come up themselves', () => {
  it('takes text at once, and sends when it has stood for a while, whatever was typed', () => {
    const arming = cameUp(-100);
    for (let at = 0; at < REST; at += 50) {
      expect(arming.key(at)).toBe(true);
      expect(arming.sends(at), 'nobody has read it yet').toBe('early');
    }
    expect(arming.sends(REST)).toBeNull();
  });

  it('is what follows their act soon, here', () => {
    expect(cameUp(-FOLLOWS).writes(0)).toBe(true);
    expect(cameUp(-FOLLOWS - 1).writes(0), 'a while ago').toBe(false);
    const arming = cameUp(-100);
    arming.look(true, false, 50, NEVER);
    arming.look(true, true, 100, NEVER);
    expect(arming.writes(100), 'they were elsewhere since').toBe(false);
  });

  it('is what the hotkey or the tray brings up', () => {
    const arming = new Arming();
    arming.stands(0, NEVER);
    arming.acts();
    expect(arming.writes(1_000), 'it is still hidden').toBe(false);
    arming.look(true, true, 1_000, 900);
    expect(arming.writes(1_000)).toBe(true);
    expect(arming.armedAt, 'but nothing is painted').toBe(Infinity);
    arming.painted(1_050);
    expect(arming.armedAt).toBe(1_050 + REST);
    const standing = cameUp();
    standing.key(300);
    standing.acts();
    expect([standing.writes(310), standing.armedAt], 'it stood there').toEqual([true, REST]);
  });

  it('is what they click in, once it has stood for a while', () => {
    const arming = moved(cameUp());
    expect(arming.press(REST - 1, true), 'it came up under the click').toBe(false);
    expect(arming.writes(REST)).toBe(false);
    for (let at = REST; at < 3_000; at += 100) arming.key(at);
    expect(arming.press(3_000, true)).toBe(true);
    expect(arming.writes(3_001), 'though they have typed until now').toBe(true);
    expect(arming.sends(3_001)).toBeNull();
    const still = cameUp();
    still.point(400, 400, true);
    expect(still.press(3_000, true), 'a mouse that lies there is no hand').toBe(false);
  });

  it('is what they click on to come back to it, which sends nothing yet', () => {
    const arming = moved(cameUp());
    arming.look(true, false, 2_000, NEVER);
    moved(arming);
    arming.look(true, true, 9_000, NEVER);
    expect(click(arming, 9_001), 'the click that gave it the keys').toBe('early');
    expect(arming.writes(9_002)).toBe(true);
    expect(click(arming, 9_000 + REST), 'the next one, with the mouse where it was').toBeNull();
  });

  it('goes on taking text when its buttons change', () => {
    const arming = cameUp();
    expect(arming.key(1_000)).toBe(true);
    arming.changes(1_100);
    arming.painted(1_120);
    expect(arming.key(1_150), 'they are in the middle of a word').toBe(true);
    expect([arming.sends(1_119 + REST), arming.sends(1_120 + REST)]).toEqual(['early', null]);
    const early = cameUp();
    early.changes(100);
    expect(early.key(150), 'where no text was taken none is').toBe(false);
  });
});

describe('a mouse', () => {
  it('has to have moved on the screen since it came up', () => {
    const arming = cameUp();
    expect(click(arming, 2_000), 'nobody knows where it is').toBe('still');
    arming.point(400, 400, true);
    arming.point(400, 400);
    expect(click(arming, 2_000), 'enter and move events come by themselves').toBe('still');
    arming.point(402, 402);
    expect(click(arming, 2_000), 'a hand that lies on it trembles').toBe('still');
    arming.point(403, 400);
    expect(click(arming, 2_000)).toBeNull();
  });

  it('is measured from where it was when it came up, not from its last movement', () => {
    const arming = cameUp();
    arming.point(400, 400, true);
    for (let x = 401; x < 400 + MOVED; x += 1) arming.point(x, 400);
    expect(click(arming, 2_000)).toBe('still');
    arming.point(400 + MOVED, 400);
    expect(click(arming, 2_000)).toBeNull();
  });

  it('has to move again for the next request, after it was away, and when it comes in', () => {
    const arming = moved(cameUp());
    expect(click(arming, 1_000)).toBeNull();
    arming.stands(1_001, 1_000);
    arming.painted(1_020);
    expect(click(arming, 3_000), 'the hand stayed where it was').toBe('still');
    arming.point(400 + MOVED, 400 + MOVED);
    expect(click(arming, 3_100)).toBeNull();
    arming.out();
    arming.point(500, 500);
    expect(click(arming, 3_200), 'a window that lay over this one is gone').toBe('still');
    moved(arming);
    expect(click(arming, 3_300)).toBeNull();
    arming.point(600, 600, true);
    expect(click(arming, 3_400), 'this one came over another under the mouse').toBe('still');
  });

  it('has to be pressed after it was armed', () => {
    const arming = moved(cameUp());
    arming.press(REST - 10, true);
    expect(arming.clicked(), 'it was let go when all was well').toBe('early');
    arming.press(3_000, true);
    arming.stands(3_010, 3_000);
    arming.painted(3_020);
    expect(arming.clicked(), 'another request came between press and release').toBe('early');
    moved(arming);
    arming.press(5_000, true);
    expect([arming.clicked(), arming.clicked()], 'one press is one click').toEqual([null, 'early']);
  });

  it('is nothing to keys, screen readers, fingers and pens', () => {
    const arming = cameUp();
    expect(arming.sends(REST), 'no pointer is needed').toBeNull();
    expect(click(arming, 2_000, false), 'a finger that comes down after it').toBeNull();
    const early = cameUp();
    expect(click(early, REST - 1, false), 'or before').toBe('early');
  });
});

/** Numbers that look random and are the same each time. */
function* random(seed: number): Generator<number, never> {
  let state = seed;
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

describe('hands', () => {
  it('that type ten keys a second elsewhere land none, however many requests come up', () => {
    const arming = new Arming();
    let landed = 0;
    for (let at = 0; at < 120_000; at += 100) {
      if (at % 1_700 === 0) arming.look(true, true, at, NEVER);
      if (at % 2_300 === 0) {
        arming.stands(at, NEVER);
        arming.painted(at + 33);
      }
      if (at % 7_900 === 0) arming.look(false, false, at, NEVER);
      if (arming.key(at) || arming.sends(at) === null) landed += 1;
      arming.press(at, true);
      if (arming.clicked() === null) landed += 1;
    }
    expect(landed).toBe(0);
  });

  it('at random times land only after a pause, on what has stood', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const numbers = random(seed);
      const next = () => numbers.next().value;
      const arming = new Arming();
      let [at, quiet, stood, here] = [0, -Infinity, Infinity, false];
      let armed: boolean = false;
      for (let step = 0; step < 200; step += 1) {
        at += Math.ceil(next() * 900);
        const what = next();
        if (what < 0.6) {
          const expected: boolean = armed || (here && at - stood >= REST && at - quiet >= REST);
          armed = expected;
          const said = `seed ${seed}, step ${step}, at ${at}`;
          expect(arming.sends(at) === null, said).toBe(expected);
          expect(arming.key(at), said).toBe(expected);
          if (!expected) quiet = at;
        } else if (what < 0.8) {
          arming.stands(at, NEVER);
          arming.painted(at + 20);
          [stood, armed] = [here ? at + 20 : Infinity, false];
        } else {
          here = !here;
          arming.look(here, here, at, NEVER);
          if (here) arming.painted(at + 20);
          [stood, armed] = [here ? at + 20 : Infinity, false];
        }
      }
    }
  });

  it('that answer ten requests by keys alone, one a second, are never refused', () => {
    const arming = cameUp();
    let acted = NEVER;
    const refused: number[] = [];
    for (let request = 1; request <= 10; request += 1) {
      const at = request * 1_000;
      // Control, Shift and Enter, one after the other; and a word before them.
      for (const key of [-600, -450, -300, -40, -20, 0])
        if (request > 1 || key > -100) if (!arming.key(at + key)) refused.push(at + key);
      if (arming.sends(at)) refused.push(at);
      acted = at;
      // The next one stands a moment later.
      arming.stands(at + 60, acted);
      arming.painted(at + 110);
    }
    expect(refused).toEqual([]);
  });
});
