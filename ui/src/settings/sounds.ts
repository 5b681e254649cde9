// The two sounds of the desktop app, played by the page so that they can be tried: the same tones as in
// src-tauri/src/sound.rs.

interface Tone {
  /** When it begins, in seconds. */
  at: number;
  /** Hertz. */
  pitch: number;
  gain: number;
  /** Seconds to a third of its loudness. */
  fade: number;
}

export type Sound = 'soft' | 'urgent';

const TONES: Record<Sound, readonly Tone[]> = {
  soft: [
    { at: 0, pitch: 587.33, gain: 0.11, fade: 0.12 },
    { at: 0.11, pitch: 880, gain: 0.1, fade: 0.16 },
  ],
  urgent: [
    { at: 0, pitch: 880, gain: 0.2, fade: 0.1 },
    { at: 0.1, pitch: 1174.66, gain: 0.2, fade: 0.14 },
    { at: 0.32, pitch: 880, gain: 0.2, fade: 0.1 },
    { at: 0.42, pitch: 1174.66, gain: 0.2, fade: 0.2 },
  ],
};

const ATTACK = 0.008;
let context: AudioContext | null = null;

/** Plays a sound. False where the page has no way to. */
export async function play(sound: Sound): Promise<boolean> {
  if (typeof AudioContext === 'undefined') return false;
  try {
    context ??= new AudioContext();
    await context.resume();
  } catch {
    return false;
  }
  const start = context.currentTime + 0.02;
  for (const { at, pitch, gain, fade } of TONES[sound]) {
    const swell = context.createGain();
    swell.connect(context.destination);
    swell.gain.setValueAtTime(0, start + at);
    swell.gain.linearRampToValueAtTime(gain, start + at + ATTACK);
    swell.gain.setTargetAtTime(0, start + at + ATTACK, fade);
    const tone = context.createOscillator();
    tone.frequency.value = pitch;
    tone.connect(swell);
    tone.start(start + at);
    tone.stop(start + at + 5 * fade);
  }
  return true;
}
