"""A small BERT that fills in masked words of a synthetic language; padding masks, gradient accumulation, warm-up."""

import argparse
import logging

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, Dataset

logger = logging.getLogger(__name__)

PAD, MASK, FIRST_WORD, VOCAB_SIZE = 0, 1, 2, 24
IGNORED = -100


class MaskedSentences(Dataset):
    """Sentences that count upwards from a random word; every fifth word is hidden."""

    def __init__(self, n, max_len=12, seed=0):
        rng = np.random.default_rng(seed)
        self.examples = []
        for _ in range(n):
            length = int(rng.integers(6, max_len + 1))
            start = int(rng.integers(0, 20))
            words = FIRST_WORD + (start + np.arange(length)) % (VOCAB_SIZE - FIRST_WORD)
            hidden = rng.random(length) < 0.2
            hidden[rng.integers(0, length)] = True
            input_ids = np.full(max_len, PAD, dtype=np.int64)
            input_ids[:length] = np.where(hidden, MASK, words)
            labels = np.full(max_len, IGNORED, dtype=np.int64)
            labels[:length][hidden] = words[hidden]
            attention_mask = (np.arange(max_len) < length).astype(np.float32)
            self.examples.append((input_ids, attention_mask, labels))

    def __len__(self):
        return len(self.examples)

    def __getitem__(self, index):
        input_ids, attention_mask, labels = self.examples[index]
        return {"input_ids": input_ids, "attention_mask": attention_mask, "labels": labels}


class BertEmbeddings(nn.Module):
    def __init__(self, hidden_size, max_position):
        super().__init__()
        self.word_embeddings = nn.Embedding(VOCAB_SIZE, hidden_size, padding_idx=PAD)
        self.position_embeddings = nn.Embedding(max_position, hidden_size)
        self.LayerNorm = nn.LayerNorm(hidden_size, eps=1e-12)
        self.dropout = nn.Dropout(p=0.0)
        self.register_buffer("position_ids", torch.arange(max_position).expand((1, -1)))

    def forward(self, input_ids):
        seq_length = input_ids.size(1)
        position_ids = self.position_ids[:, :seq_length]
        embeddings = self.word_embeddings(input_ids) + self.position_embeddings(position_ids)
        return self.dropout(self.LayerNorm(embeddings))


class BertSelfAttention(nn.Module):
    def __init__(self, hidden_size, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)

    def transpose_for_scores(self, x):
        new_shape = x.size()[:-1] + (self.num_heads, self.head_size)
        return x.view(*new_shape).permute(0, 2, 1, 3)

    def forward(self, hidden_states, attention_mask):
        query = self.transpose_for_scores(self.query(hidden_states))
        key = self.transpose_for_scores(self.key(hidden_states))
        value = self.transpose_for_scores(self.value(hidden_states))

        scores = torch.matmul(query, key.transpose(-1, -2)) / self.head_size**0.5
        # Apply the attention mask (precomputed for all layers)
        probs = nn.functional.softmax(scores + attention_mask, dim=-1)
        context = torch.matmul(probs, value).permute(0, 2, 1, 3).contiguous()
        return context.view(*context.shape[:2], self.num_heads * self.head_size)


class BertLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, intermediate_size):
        super().__init__()
        self.attention = BertSelfAttention(hidden_size, num_heads)
        self.attention_output = nn.Linear(hidden_size, hidden_size)
        self.attention_norm = nn.LayerNorm(hidden_size, eps=1e-12)
        self.intermediate = nn.Linear(hidden_size, intermediate_size)
        self.output = nn.Linear(intermediate_size, hidden_size)
        self.output_norm = nn.LayerNorm(hidden_size, eps=1e-12)

    def forward(self, hidden_states, attention_mask):
        attended = self.attention_output(self.attention(hidden_states, attention_mask))
        hidden_states = self.attention_norm(attended + hidden_states)
        expanded = F.gelu(self.intermediate(hidden_states))
        return self.output_norm(self.output(expanded) + hidden_states)


class BertForMaskedLM(nn.Module):
    def __init__(self, hidden_size=16, num_layers=2, num_heads=4, intermediate_size=32, max_position=16):
        super().__init__()
        self.embeddings = BertEmbeddings(hidden_size, max_position)
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(BertLayer(hidden_size, num_heads, intermediate_size))
        self.transform = nn.Sequential(nn.Linear(hidden_size, hidden_size), nn.GELU(), nn.LayerNorm(hidden_size))
        self.decoder = nn.Linear(hidden_size, VOCAB_SIZE, bias=False)
        self.bias = nn.Parameter(torch.zeros(VOCAB_SIZE))
        self.apply(self.init_weights)

    def init_weights(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            module.weight.data.normal_(mean=0.0, std=0.1)
        if isinstance(module, nn.Linear) and module.bias is not None:
            module.bias.data.zero_()

    def forward(self, input_ids, attention_mask=None, labels=None):
        if attention_mask is None:
            attention_mask = torch.ones_like(input_ids, dtype=torch.float32)
        extended_mask = (1.0 - attention_mask[:, None, None, :]) * -10000.0
        hidden_states = self.embeddings(input_ids)
        for layer in self.layers:
            hidden_states = layer(hidden_states, extended_mask)
        scores = self.decoder(self.transform(hidden_states)) + self.bias

        outputs = (scores,)
        if labels is not None:
            loss_fct = nn.CrossEntropyLoss(ignore_index=IGNORED)  # -100 index = padding token
            loss = loss_fct(scores.view(-1, VOCAB_SIZE), labels.view(-1))
            outputs = (loss,) + outputs
        return outputs


def build_model():
    return BertForMaskedLM()


def example_inputs():
    examples = MaskedSentences(3, seed=1).examples
    return tuple(torch.tensor(np.stack(column)) for column in zip(*examples, strict=True))


def predict(model, inputs):
    input_ids, attention_mask, _ = inputs
    return model(input_ids, attention_mask=attention_mask)[0]


def forward_loss(model, inputs):
    input_ids, attention_mask, labels = inputs
    return model(input_ids, attention_mask, labels)[0]


def parse_args(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--learning_rate", default=1e-2, type=float)
    parser.add_argument("--warmup_steps", default=3, type=int)
    parser.add_argument("--per_gpu_batch_size", default=4, type=int)
    parser.add_argument("--gradient_accumulation_steps", default=2, type=int)
    parser.add_argument("--max_grad_norm", default=1.0, type=float)
    return parser.parse_args(argv)


def train(model, steps=20, args=None):
    args = args or parse_args([])
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dataset = MaskedSentences(5 * args.per_gpu_batch_size)
    dataloader = DataLoader(dataset, batch_size=args.per_gpu_batch_size, shuffle=False)
    t_total = steps // args.gradient_accumulation_steps

    no_decay = ["bias", "norm.weight", "LayerNorm.weight"]
    optimizer_grouped_parameters = [
        {
            "params": [p for n, p in model.named_parameters() if not any(nd in n for nd in no_decay)],
            "weight_decay": 0.01,
        },
        {"params": [p for n, p in model.named_parameters() if any(nd in n for nd in no_decay)], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(optimizer_grouped_parameters, lr=args.learning_rate, eps=1e-6)

    def lr_lambda(current_step):
        if current_step < args.warmup_steps:
            return float(current_step + 1) / float(max(1, args.warmup_steps))
        return max(0.0, float(t_total - current_step) / float(max(1, t_total - args.warmup_steps)))

    scheduler = LambdaLR(optimizer, lr_lambda)

    global_step = 0
    history = []
    model.to(device)
    model.zero_grad()
    for epoch in range(steps // len(dataloader)):
        for step, batch in enumerate(dataloader):
            model.train()
            batch = {k: v.to(device) for k, v in batch.items()}
            outputs = model(**batch)
            loss = outputs[0]
            if args.gradient_accumulation_steps > 1:
                loss = loss / args.gradient_accumulation_steps
            loss.backward()
            history.append(loss.item() * args.gradient_accumulation_steps)
            if len(history) % args.gradient_accumulation_steps == 0:
                torch.nn.utils.clip_grad_norm_(model.parameters(), args.max_grad_norm)
                optimizer.step()
                scheduler.step()
                model.zero_grad()
                global_step += 1
                logger.info("epoch %d step %d (%d): loss %.4f", epoch, step, global_step, history[-1])
    return history


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    torch.manual_seed(42)
    train(build_model(), args=parse_args())
