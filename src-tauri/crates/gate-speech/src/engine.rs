//! The speech engine: a loaded model, and sound to text with it. The only place that calls Whisper. Knows
//! nothing of takes.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::path::Path;
use std::sync::atomic::Ordering;

use gate_core::{Code, Fault};
use gate_voice::SAMPLES_PER_MS;
use whisper_rs::{
    FullParams, SamplingStrategy, WhisperContext, WhisperContextParameters, WhisperState, WhisperTokenId, get_lang_id,
    get_lang_str,
};

use crate::abort::{self, Stop};
use crate::clean;
use crate::model_file::{self, Kind};

/// What a prompt may be long, in tokens. For each of them the engine keeps how probable every word of the model is
/// after it, more than twice: 0.6 MB.
const PROMPT_TOKENS: usize = 24;
/// What the model hears at a time, in its own units of 20 ms.
const WHOLE_CONTEXT: usize = 1_500;
/// With what a piece is heard again where the model got caught in a loop: more than any piece has the first time,
/// and no more, since the memory that it takes grows with the square of it.
const AGAIN_CONTEXT: usize = 704;
/// Samples of such a unit.
const UNIT: usize = 20 * SAMPLES_PER_MS;
/// How much more than the sound itself it is given to hear, in samples: 1.28 s.
const SPARE: usize = 1_280 * SAMPLES_PER_MS;
/// Sound that is shorter is filled up with silence: a second, below which the model gets confused.
const SHORTEST: usize = 1_000 * SAMPLES_PER_MS;
/// Speech that is left untranscribed before the end of a piece, in samples, from which on it is gone after:
/// 1.5 s.
const UNHEARD: usize = 1_500 * SAMPLES_PER_MS;

/// What goes with sound.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    /// The language's code; absent for finding it out.
    pub(crate) language: Option<String>,
    /// Words that are likely to be said.
    pub(crate) prompt: String,
    /// How many threads work.
    pub(crate) threads: i32,
}

/// What was heard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    /// In order.
    pub(crate) parts: Vec<Part>,
    /// The language, given or found out.
    pub(crate) language: Option<String>,
}

/// A sentence or so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// From which sample on.
    pub(crate) start: usize,
    /// To which one.
    pub(crate) end: usize,
    /// Its text, cleaned; never empty.
    pub(crate) text: String,
}

impl Heard {
    /// All of it as text.
    pub(crate) fn text(&self) -> String {
        self.parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// A loaded model.
pub(crate) struct Engine {
    // Declared before the context, and so dropped before it.
    state: WhisperState,
    context: WhisperContext,
    /// For each language that was asked for: setting one costs a few bytes each time that nothing frees.
    params: HashMap<&'static str, FullParams<'static, 'static>>,
}

impl Engine {
    /// Loads a model.
    ///
    /// # Errors
    /// `speech_model` where it is none or damaged, or needs another processor than this.
    pub(crate) fn load(path: &Path) -> Result<Self, Fault> {
        processor()?;
        model_file::check(path, Kind::Speech)?;
        abort::prepare();
        let unusable = |error: &dyn std::fmt::Display| {
            let message = format!("The speech model can't be loaded: {error}.");
            Fault::new(Code::SpeechModel, message, "Choose a smaller one, or download this one again.")
        };
        let parameters = WhisperContextParameters::default();
        let context = WhisperContext::new_with_params(path, parameters).map_err(|error| unusable(&error))?;
        let state = context.create_state().map_err(|error| unusable(&error))?;
        Ok(Self { state, context, params: HashMap::new() })
    }

    /// Whether it knows English only.
    pub(crate) fn english_only(&self) -> bool {
        !self.context.is_multilingual()
    }

    /// Transcribes sound of at most 12 s. `speech_end` is where the speech in it ends, in samples. Gives
    /// nothing where it was stopped.
    ///
    /// # Errors
    /// `transcription` where the engine fails.
    pub(crate) fn transcribe(
        &mut self,
        sound: &[f32],
        speech_end: usize,
        request: &Request,
        stop: &Stop,
    ) -> Result<Option<Heard>, Fault> {
        let Some(language) = self.language(sound, request, stop)? else { return Ok(None) };
        let context = context_for(sound.len());
        let Some(mut parts) = self.run(sound, language, request, context, stop)? else { return Ok(None) };
        if clean::repeats(&text_of(&parts)) {
            // Caught in a loop: with more context and without words before it seldom is.
            let request = Request { prompt: String::new(), ..request.clone() };
            let Some(again) = self.run(sound, language, &request, context.max(AGAIN_CONTEXT), stop)? else {
                return Ok(None);
            };
            parts = again;
        }
        // Now and then it stops after a sentence though another one follows.
        let end = parts.last().map_or(0, |part| part.end);
        if end > 0 && end + UNHEARD < speech_end.min(sound.len()) {
            let rest = &sound[end..];
            let Some(more) = self.run(rest, language, request, context_for(rest.len()), stop)? else { return Ok(None) };
            parts.extend(more.into_iter().map(|part| Part { start: part.start + end, end: part.end + end, ..part }));
        }
        Ok(Some(Heard { parts, language: Some(language.to_owned()) }))
    }

    /// Transcribes as whisper.cpp does by itself: all at once, with its whole context. For comparison.
    ///
    /// # Errors
    /// As [`Engine::transcribe`].
    pub(crate) fn plainly(&mut self, sound: &[f32], language: &str, threads: i32) -> Result<String, Fault> {
        let mut params = FullParams::new(SamplingStrategy::Greedy { best_of: 5 });
        params.set_language(Some(language));
        params.set_n_threads(threads);
        quietly(&mut params);
        self.state.full(params, sound).map_err(|error| failed(&error))?;
        let segments =
            self.state.as_iter().filter_map(|segment| segment.to_str_lossy().ok().map(|text| text.to_string()));
        Ok(clean::cleaned(&segments.collect::<Vec<_>>().join(" ")))
    }

    /// The language of some sound: as asked for, or as the model hears it. Nothing where it was stopped.
    fn language(&mut self, sound: &[f32], request: &Request, stop: &Stop) -> Result<Option<&'static str>, Fault> {
        if self.english_only() {
            return Ok(Some("en"));
        }
        if let Some(language) = request.language.as_deref().and_then(language_of) {
            return Ok(Some(language));
        }
        // It would look at the whole context for that, which takes as long as transcribing does. It keeps to
        // the context of a run that was given up before it began.
        let mut params = self.params_for("en");
        params.set_audio_ctx(units(context_for(sound.len())));
        params.set_n_threads(request.threads);
        no_more(&mut params);
        self.state.full(params, &padded(sound)).map_err(|error| failed(&error))?;
        let threads = usize::try_from(request.threads).unwrap_or(1).max(1);
        let detected = abort::unless(stop, || self.state.lang_detect(0, threads));
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let (id, _) = detected.map_err(|error| failed(&error))?;
        Ok(Some(get_lang_str(id).unwrap_or("en")))
    }

    fn params_for(&mut self, language: &'static str) -> FullParams<'static, 'static> {
        let params = self.params.entry(language).or_insert_with(|| {
            let mut params = FullParams::new(SamplingStrategy::Greedy { best_of: 1 });
            params.set_language(Some(language));
            params.set_no_context(true);
            params.set_single_segment(true);
            params.set_suppress_blank(true);
            params.set_suppress_nst(true);
            params.set_temperature_inc(0.0);
            quietly(&mut params);
            params
        });
        params.clone()
    }

    fn run(
        &mut self,
        sound: &[f32],
        language: &'static str,
        request: &Request,
        context: usize,
        stop: &Stop,
    ) -> Result<Option<Vec<Part>>, Fault> {
        let prompt = self.tokens(&request.prompt)?;
        let seconds = sound.len().div_ceil(1_000 * SAMPLES_PER_MS);
        // The prompt has to live for as long as the parameters that point to it.
        let base = self.params_for(language);
        let mut params: FullParams<'static, '_> = base;
        if !prompt.is_empty() {
            params.set_tokens(&prompt);
        }
        params.set_audio_ctx(units(context));
        params.set_max_tokens(c_int::try_from(6 * seconds + 12).unwrap_or(c_int::MAX));
        params.set_n_threads(request.threads);
        give_up_between_words(&mut params);
        let run = abort::unless(stop, || self.state.full(params, &padded(sound)));
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        run.map_err(|error| failed(&error))?;
        Ok(Some(self.parts(sound.len())))
    }

    /// The words of a prompt as the model knows them, the last ones where they are too many.
    fn tokens(&self, prompt: &str) -> Result<Vec<WhisperTokenId>, Fault> {
        let prompt = prompt.replace('\0', " ");
        if prompt.trim().is_empty() {
            return Ok(Vec::new());
        }
        // No text has more tokens than bytes, and the engine must never find too little room here.
        let mut tokens = self.context.tokenize(&prompt, prompt.len() + 1).map_err(|error| failed(&error))?;
        tokens.drain(..tokens.len().saturating_sub(PROMPT_TOKENS));
        Ok(tokens)
    }

    /// The text of the last run, at the moments that the model put into it.
    fn parts(&self, length: usize) -> Vec<Part> {
        let (end_of_text, first_moment) = (self.context.token_eot(), self.context.token_beg());
        let mut parts = Vec::new();
        let mut start = 0;
        let mut bytes: Vec<u8> = Vec::new();
        let mut close = |bytes: &mut Vec<u8>, start: usize, end: usize| {
            let text = clean::cleaned(&String::from_utf8_lossy(bytes));
            bytes.clear();
            if !text.is_empty() {
                parts.push(Part { start: start.min(length), end: end.min(length), text });
            }
        };
        for segment in self.state.as_iter() {
            for at in 0..segment.n_tokens() {
                let Some(token) = segment.get_token(at) else { continue };
                let id = token.token_id();
                if id >= first_moment {
                    let moment = usize::try_from(id - first_moment).unwrap_or(0) * UNIT;
                    close(&mut bytes, start, moment);
                    start = moment;
                } else if id < end_of_text
                    && let Ok(more) = token.to_bytes()
                {
                    bytes.extend_from_slice(more);
                }
            }
        }
        close(&mut bytes, start, length);
        parts
    }
}

/// The language of a code, where the models know it.
fn language_of(code: &str) -> Option<&'static str> {
    if code.contains('\0') { None } else { get_lang_str(get_lang_id(code)?) }
}

fn text_of(parts: &[Part]) -> String {
    parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// How much context sound of a length needs, in units: never less than the sound has itself, which would
/// give nonsense.
fn context_for(samples: usize) -> usize {
    let units = (samples.max(SHORTEST) + SPARE).div_ceil(UNIT);
    units.next_multiple_of(32).min(WHOLE_CONTEXT)
}

fn units(context: usize) -> c_int {
    c_int::try_from(context).unwrap_or(0)
}

fn padded(sound: &[f32]) -> std::borrow::Cow<'_, [f32]> {
    if sound.len() >= SHORTEST {
        return sound.into();
    }
    let mut longer = sound.to_vec();
    longer.resize(SHORTEST, 0.0);
    longer.into()
}

fn quietly(params: &mut FullParams<'_, '_>) {
    params.set_print_special(false);
    params.set_print_progress(false);
    params.set_print_realtime(false);
    params.set_print_timestamps(false);
}

fn failed(error: &dyn std::fmt::Display) -> Fault {
    Fault::new(
        Code::Transcription,
        format!("The speech engine failed: {error}."),
        "Try again; if it happens again, choose another model.",
    )
}

/// Gives up a run between two words where another processor than this one does the work.
fn give_up_between_words(params: &mut FullParams<'_, '_>) {
    #[expect(unsafe_code, reason = "the callback looks at none of its arguments; the engine's safe setter is unsound")]
    unsafe {
        params.set_abort_callback(Some(abort::is_stopped));
    }
}

/// Gives up a run after it has taken the sound and its parameters.
fn no_more(params: &mut FullParams<'_, '_>) {
    #[expect(unsafe_code, reason = "the callback looks at none of its arguments")]
    unsafe {
        params.set_start_encoder_callback(Some(never));
    }
}

/// Asked by the engine whether to begin.
#[expect(unsafe_code, reason = "the type of the callback is unsafe")]
unsafe extern "C" fn never(
    _: *mut whisper_rs::WhisperSysContext,
    _: *mut whisper_rs::WhisperSysState,
    _: *mut c_void,
) -> bool {
    false
}

/// Whether the processor can run the engine as it was built.
fn processor() -> Result<(), Fault> {
    #[cfg(target_arch = "x86_64")]
    {
        let has = [
            ("AVX2", std::arch::is_x86_feature_detected!("avx2")),
            ("FMA", std::arch::is_x86_feature_detected!("fma")),
            ("F16C", std::arch::is_x86_feature_detected!("f16c")),
            ("BMI2", std::arch::is_x86_feature_detected!("bmi2")),
        ];
        let lacks: Vec<&str> = has.iter().filter(|(_, has)| !has).map(|(name, _)| *name).collect();
        if !lacks.is_empty() {
            return Err(Fault::new(
                Code::VoiceUnavailable,
                format!("Speech can't be recognised on this processor: it lacks {}.", lacks.join(", ")),
                "Build Review Gate on this machine with GGML_AVX2, GGML_FMA, GGML_F16C and GGML_BMI2 set to OFF.",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn the_context_is_never_shorter_than_the_sound() {
        for millis in (0..30_000).step_by(37) {
            let samples = millis * SAMPLES_PER_MS;
            let context = context_for(samples);
            assert!(context * UNIT >= samples, "{millis} ms");
            assert!(context <= WHOLE_CONTEXT && (context.is_multiple_of(32) || context == WHOLE_CONTEXT), "{context}");
        }
    }

    #[test]
    fn a_piece_that_is_heard_again_is_heard_with_more_context() {
        assert!(AGAIN_CONTEXT > context_for(crate::cut::LONGEST * crate::cut::WINDOW));
    }

    #[test]
    fn the_engine_asks_all_the_time_whether_to_give_up() {
        let Some(models) = testing::models() else { return };
        let mut engine = Engine::load(&models.join(testing::SPEECH)).expect("the model");
        let sound = crate::decode::decoded(&testing::recorded()).expect("sound");
        let sound = &sound[..3_000 * SAMPLES_PER_MS];
        let request = Request { threads: 1, ..Request::default() };
        let stop = Stop::default();
        let heard = engine.transcribe(sound, sound.len(), &request, &stop).expect("it is understood");
        let asked = abort::asked();
        assert!(heard.is_some_and(|heard| !heard.parts.is_empty()));
        // Once for each word, and once for the sound as a whole, would be some twenty times.
        assert!(asked > 500, "{asked} times");
        stop.store(true, Ordering::Relaxed);
        assert_eq!(engine.transcribe(sound, sound.len(), &request, &stop), Ok(None), "it is given up");
        assert!(abort::asked() - asked < 5, "after its first step: {} more", abort::asked() - asked);
        let again = engine.transcribe(sound, sound.len(), &request, &Stop::default()).expect("it is understood");
        assert!(again.is_some_and(|heard| !heard.parts.is_empty()), "and can begin anew");
    }

    #[test]
    fn languages_are_known_by_their_codes() {
        for code in ["en", "de", "zh", "ja"] {
            assert_eq!(language_of(code), Some(code));
        }
        for code in ["", "auto", "xx", "e\0n", "klingon"] {
            assert_eq!(language_of(code), None, "{code:?}");
        }
    }
}
