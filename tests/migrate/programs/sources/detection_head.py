"""A one-stage detector with a feature pyramid: anchors, matching by overlap, focal and box losses, suppression."""

import math
from collections import OrderedDict
from typing import Dict, List, Optional, Tuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

IMAGE_SIZE = 16
NUM_CLASSES = 2


def box_area(boxes: Tensor) -> Tensor:
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def box_iou(boxes1: Tensor, boxes2: Tensor) -> Tensor:
    """Overlaps (N, M) of boxes given by two corners."""
    lt = torch.max(boxes1[:, None, :2], boxes2[:, :2])  # [N,M,2]
    rb = torch.min(boxes1[:, None, 2:], boxes2[:, 2:])  # [N,M,2]
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, :, 0] * wh[:, :, 1]
    return inter / (box_area(boxes1)[:, None] + box_area(boxes2) - inter)


def encode_boxes(reference_boxes: Tensor, anchors: Tensor) -> Tensor:
    """Offsets of boxes from anchors, relative to the anchors' sizes."""
    sizes = anchors[:, 2:] - anchors[:, :2]
    centres = anchors[:, :2] + 0.5 * sizes
    ref_sizes = reference_boxes[:, 2:] - reference_boxes[:, :2]
    ref_centres = reference_boxes[:, :2] + 0.5 * ref_sizes
    return torch.cat([(ref_centres - centres) / sizes, torch.log(ref_sizes / sizes)], dim=1)


def decode_boxes(rel_codes: Tensor, anchors: Tensor) -> Tensor:
    sizes = anchors[:, 2:] - anchors[:, :2]
    centres = anchors[:, :2] + 0.5 * sizes
    pred_centres = rel_codes[:, :2] * sizes + centres
    pred_sizes = torch.exp(rel_codes[:, 2:].clamp(max=4.0)) * sizes
    return torch.cat([pred_centres - 0.5 * pred_sizes, pred_centres + 0.5 * pred_sizes], dim=1)


def sigmoid_focal_loss(inputs: Tensor, targets: Tensor, alpha: float = 0.25, gamma: float = 2.0) -> Tensor:
    p = torch.sigmoid(inputs)
    ce_loss = F.binary_cross_entropy_with_logits(inputs, targets, reduction="none")
    p_t = p * targets + (1 - p) * (1 - targets)
    loss = ce_loss * ((1 - p_t) ** gamma)
    alpha_t = alpha * targets + (1 - alpha) * (1 - targets)
    return (alpha_t * loss).sum()


class FeaturePyramid(nn.Module):
    """Two levels, of strides 4 and 8; the finer one sees the coarser."""

    def __init__(self, out_channels: int = 8) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(inplace=True))
        self.stages = nn.ModuleDict(
            OrderedDict(
                c2=nn.Sequential(nn.Conv2d(8, 8, 3, stride=2, padding=1), nn.ReLU(inplace=True)),
                c3=nn.Sequential(nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU(inplace=True)),
            )
        )
        self.inner_blocks = nn.ModuleList([nn.Conv2d(c, out_channels, 1) for c in (8, 16)])
        self.layer_blocks = nn.ModuleList([nn.Conv2d(out_channels, out_channels, 3, padding=1) for _ in range(2)])
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_uniform_(m.weight, a=1)
                nn.init.constant_(m.bias, 0)

    def forward(self, x: Tensor) -> List[Tensor]:
        x = self.stem(x)
        features = []
        for stage in self.stages.values():
            x = stage(x)
            features.append(x)
        last_inner = self.inner_blocks[-1](features[-1])
        results = [self.layer_blocks[-1](last_inner)]
        lateral = self.inner_blocks[0](features[0])
        top_down = F.interpolate(last_inner, size=lateral.shape[-2:], mode="nearest")
        results.insert(0, self.layer_blocks[0](lateral + top_down))
        return results


class AnchorGenerator(nn.Module):
    def __init__(self, strides=(4, 8), sizes=(5.0, 9.0), aspect_ratios=(0.5, 1.0, 2.0)):
        super().__init__()
        self.strides = strides
        for i, size in enumerate(sizes):
            h_ratios = torch.sqrt(torch.as_tensor(aspect_ratios))
            hs, ws = size * h_ratios, size / h_ratios
            self.register_buffer(f"cell_anchors_{i}", torch.stack([-ws, -hs, ws, hs], dim=1) / 2)

    def forward(self, features: List[Tensor]) -> Tensor:
        anchors = []
        for i, (feature, stride) in enumerate(zip(features, self.strides, strict=True)):
            height, width = feature.shape[-2:]
            shifts_x = (torch.arange(0, width, dtype=torch.float32) + 0.5) * stride
            shifts_y = (torch.arange(0, height, dtype=torch.float32) + 0.5) * stride
            shift_y, shift_x = torch.meshgrid(shifts_y, shifts_x, indexing="ij")
            shifts = torch.stack((shift_x, shift_y, shift_x, shift_y), dim=-1).reshape(-1, 1, 4)
            cell_anchors = getattr(self, f"cell_anchors_{i}")
            anchors.append((shifts + cell_anchors.view(1, -1, 4)).reshape(-1, 4))
        return torch.cat(anchors)


class RetinaHead(nn.Module):
    def __init__(self, in_channels: int = 8, num_anchors: int = 3, num_classes: int = NUM_CLASSES):
        super().__init__()
        self.num_classes = num_classes
        self.conv = nn.Sequential(nn.Conv2d(in_channels, in_channels, 3, padding=1), nn.GroupNorm(2, 8), nn.ReLU())
        self.cls_logits = nn.Conv2d(in_channels, num_anchors * num_classes, 3, padding=1)
        self.bbox_reg = nn.Conv2d(in_channels, num_anchors * 4, 3, padding=1)
        torch.nn.init.normal_(self.cls_logits.weight, std=0.01)
        torch.nn.init.constant_(self.cls_logits.bias, -math.log((1 - 0.1) / 0.1))

    @staticmethod
    def _flatten(x: Tensor, k: int) -> Tensor:
        # from (N, A * K, H, W) to (N, HWA, K)
        n, _, h, w = x.shape
        x = x.view(n, -1, k, h, w).permute(0, 3, 4, 1, 2)
        return x.reshape(n, -1, k)

    def forward(self, features: List[Tensor]) -> Dict[str, Tensor]:
        logits, boxes = [], []
        for feature in features:
            feature = self.conv(feature)
            logits.append(self._flatten(self.cls_logits(feature), self.num_classes))
            boxes.append(self._flatten(self.bbox_reg(feature), 4))
        return {"cls_logits": torch.cat(logits, dim=1), "bbox_regression": torch.cat(boxes, dim=1)}


class Detector(nn.Module):
    def __init__(self, fg_iou_thresh: float = 0.4):
        super().__init__()
        self.backbone = FeaturePyramid()
        self.anchor_generator = AnchorGenerator()
        self.head = RetinaHead()
        self.fg_iou_thresh = fg_iou_thresh

    @torch.no_grad()
    def match(self, anchors: Tensor, boxes: Tensor) -> Tuple[Tensor, Tensor]:
        """For each anchor its box, and whether it overlaps enough; the best anchor of a box always does."""
        iou = box_iou(boxes, anchors)
        matched_vals, matches = iou.max(dim=0)
        foreground = matched_vals >= self.fg_iou_thresh
        best = iou.argmax(dim=1)
        foreground[best] = True
        matches[best] = torch.arange(len(boxes))
        return matches, foreground

    def compute_loss(self, outputs: Dict[str, Tensor], anchors: Tensor, boxes: Tensor, labels: Tensor):
        cls_losses, reg_losses = [], []
        for i in range(boxes.size(0)):
            matches, foreground = self.match(anchors, boxes[i])
            num_foreground = foreground.sum().clamp(min=1)
            gt_classes = F.one_hot(labels[i][matches], NUM_CLASSES).float() * foreground[:, None].float()
            cls_losses.append(sigmoid_focal_loss(outputs["cls_logits"][i], gt_classes) / num_foreground)

            target_regression = encode_boxes(boxes[i][matches], anchors)
            difference = F.smooth_l1_loss(
                outputs["bbox_regression"][i], target_regression, beta=1.0 / 9, reduction="none"
            )
            reg_losses.append((difference * foreground.unsqueeze(1)).sum() / num_foreground)
        return {
            "classification": torch.stack(cls_losses).mean(),
            "bbox_regression": torch.stack(reg_losses).mean(),
        }

    def forward(self, images: Tensor, boxes: Optional[Tensor] = None, labels: Optional[Tensor] = None):
        features = self.backbone(images)
        outputs = self.head(features)
        anchors = self.anchor_generator(features)
        if boxes is not None:
            return self.compute_loss(outputs, anchors, boxes, labels)
        return outputs["cls_logits"].sigmoid(), outputs["bbox_regression"], anchors


def nms(boxes: Tensor, scores: Tensor, iou_threshold: float) -> List[int]:
    """The indices of boxes that no better one overlaps."""
    order = scores.argsort(descending=True).tolist()
    iou = box_iou(boxes, boxes)
    keep = []
    for i in order:
        if all(iou[i, j] <= iou_threshold for j in keep):
            keep.append(i)
    return keep


def make_batch(rng, batch_size: int = 2):
    """Two bright rectangles of different colours in each image."""
    images = rng.normal(0, 0.1, (batch_size, 3, IMAGE_SIZE, IMAGE_SIZE)).astype(np.float32)
    boxes = np.zeros((batch_size, 2, 4), dtype=np.float32)
    labels = np.tile(np.arange(2), (batch_size, 1))
    for b in range(batch_size):
        for k in range(2):
            x, y = rng.integers(0, 8, 2)
            w, h = rng.integers(4, 9, 2)
            boxes[b, k] = x, y, x + w, y + h
            images[b, k, y : y + h, x : x + w] += 1
    return torch.from_numpy(images), torch.from_numpy(boxes), torch.from_numpy(labels)


def build_model() -> nn.Module:
    return Detector()


def example_inputs():
    return make_batch(np.random.default_rng(1))


def predict(model, inputs):
    scores, regression, anchors = model(inputs[0])
    return scores, decode_boxes(regression[0], anchors)


def forward_loss(model, inputs):
    return sum(model(*inputs).values())


def train(model, steps: int = 20) -> List[float]:
    rng = np.random.default_rng(0)
    params = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(params, lr=0.01, momentum=0.9, weight_decay=0.0005)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[10, 15], gamma=0.1)
    model.train()
    history = []
    for step in range(steps):
        images, boxes, labels = make_batch(rng)
        loss_dict = model(images, boxes, labels)
        losses = sum(loss for loss in loss_dict.values())
        loss_value = losses.item()
        if not math.isfinite(loss_value):
            raise RuntimeError(f"Loss is {loss_value}, stopping training")

        optimizer.zero_grad()
        losses.backward()
        optimizer.step()
        scheduler.step()

        history.append(loss_value)
        if step % 5 == 0:
            parts = ", ".join(f"{k} {v.item():.4f}" for k, v in loss_dict.items())
            print(f"step {step}: loss {loss_value:.4f} ({parts}) lr {optimizer.param_groups[0]['lr']:.4f}")
    return history


def main():
    torch.manual_seed(0)
    model = build_model()
    train(model)
    model.eval()
    with torch.no_grad():
        scores, boxes = predict(model, example_inputs())
    print("kept:", nms(boxes, scores[0].max(dim=1)[0], 0.3)[:5])


if __name__ == "__main__":
    main()
