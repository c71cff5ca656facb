"""Small copies of data sets of sound."""

import numpy as np

from dataset_files.common import Case, raw, sound, text, variants


def write() -> None:
    """Write them into the working folder."""
    for name in ("aew", "ahw"):
        lines = []
        for k in range(3):
            sound(f"cmu_arctic/cmu_us_{name}_arctic/wav/arctic_a000{k}.wav", k, 6 + k)
            lines.append(f'( arctic_a000{k} "Sentence {k}, of {name}." )')
        text(f"cmu_arctic/cmu_us_{name}_arctic/etc/txt.done.data", *lines)
    for genre, numbers in (("blues", (12, 29)), ("rock", (10, 38)), ("jazz", (0,))):
        for k in numbers:
            sound(f"gtzan/{genre}/{genre}.{k:05}.wav", k, 5 + k % 3, 22050)
    for part in ("train-clean-100", "dev-clean"):
        for chapter in (7, 12):
            names = [f"25_{chapter}_00000{k}_000000" for k in range(2)]
            for k, name in enumerate(names):
                sound(f"libri_tts/{part}/25/{chapter}/{name}.wav", chapter + k, 5 + k, 24000)
            text(f"libri_tts/{part}/25/{chapter}/25_{chapter}.trans.tsv",
                 *(f"{name}\tgood day {k}\tGood day, {k}" for k, name in enumerate(names)))  # fmt: skip
    text("lj_speech/metadata.csv", *(f"LJ00{k}|text {k} Dr.|text {k} Doctor" for k in range(4)))
    for k in range(4):
        sound(f"lj_speech/wavs/LJ00{k}.wav", k, 5 + k, 22050)
    files = ("cat/aa11_nohash_0.wav", "cat/aa11_nohash_1.wav", "dog/bb22_nohash_0.wav", "bird/cc33_nohash_12.wav")
    for k, name in enumerate(files):
        sound(f"speech_commands/{name}", k, 4 + k)
    sound("speech_commands/_background_noise_/rain.wav", 9, 4)
    text("speech_commands/testing_list.txt", files[0])
    text("speech_commands/validation_list.txt", files[2])
    for k, name in enumerate(("1_0_1_1_0_0_1_0", "0_0_0_1_0_0_0_1", "1_1_1_1_0_1_0_1")):
        sound(f"yes_no/{name}.wav", k, 5 + k, 8000)
    for release, parts in (("release1", ("train", "test", "dev")), ("release3", ("data",))):
        for number, part in enumerate(parts):
            _talk(f"tedlium/{release}/{part}", f"talk{number}", number)


def _talk(folder: str, name: str, seed: int) -> None:
    head = f"NIST_1A\n   1024\nsample_count -i 1600\nsample_n_bytes -i 2\nchannel_count -i 1\nsample_rate -i {16000}\nend_head\n"
    samples = np.random.RandomState(seed).randint(-32768, 32768, 1600).astype(">i2")
    raw(f"{folder}/sph/{name}.sph", head.ljust(1024).encode() + samples.tobytes())
    text(f"{folder}/stm/{name}.stm", f"{name} 1 {name}_speaker 0.0 0.001 <o,f0,female> first words",
         f"{name} 1 {name}_speaker 0.001 0.0015 <o,f0,male> some more words")  # fmt: skip


def cases() -> list[Case]:
    """Return the calls that are recorded."""
    return [
        *variants("CMUArctic", "'cmu_arctic'"),
        *(f"CMUArcticDataset('cmu_arctic', {name!r}, shuffle=False)" for name in ("ahw", "slt", "wrong")),
        *variants("GTZAN", "'gtzan'", ordered=False),
        *(f"GTZANDataset('gtzan', {usage!r}, shuffle=False)" for usage in ("train", "valid", "test", "wrong")),
        *variants("LibriTTS", "'libri_tts'", ordered=False),
        *(f"LibriTTSDataset('libri_tts', {usage!r}, shuffle=False)" for usage in ("dev-clean", "test-clean", "wrong")),
        *variants("LJSpeech", "'lj_speech'"),
        *variants("SpeechCommands", "'speech_commands'"),
        *(f"SpeechCommandsDataset('speech_commands', {usage!r}, shuffle=False)"
          for usage in ("train", "valid", "test", "wrong")),
        *variants("YesNo", "'yes_no'", ordered=False),
        *variants("Tedlium", "'tedlium/release1', 'release1'"),
        *(f"TedliumDataset('tedlium/release1', 'release1', {usage!r}, shuffle=False)"
          for usage in ("train", "test", "dev", "wrong")),
        "TedliumDataset('tedlium/release3', 'release3', shuffle=False)",
        "TedliumDataset('tedlium/release3', 'release3', 'train', shuffle=False)",
        "TedliumDataset('tedlium/release3', 'release4', shuffle=False)",
        "TedliumDataset('tedlium/release1', 'release1', extensions='.wav', shuffle=False)",
    ]  # fmt: skip
